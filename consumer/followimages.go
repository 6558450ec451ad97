// SPDX-License-Identifier: GPL-2.0-or-later

package consumer

import "github.com/pkg/errors"

// followImages sends tables of the programs and libraries that the session finds from now on.
func (s *session) followImages() error {
	control, err := openStarter(s.mod.name)
	if err != nil {
		return errors.Wrap(err, "taking the images of programs")
	}
	s.images = newImages(control, s.manifest, s.messages.warning)
	met := make(chan struct{}, 1)
	s.newImages = func() {
		select {
		case met <- struct{}{}:
		default:
		}
	}
	s.background(func() {
		for {
			select {
			case <-met:
				s.images.update()
			case <-s.images.closed:
				return
			}
		}
	})
	s.images.preloadVDSO()
	return nil
}

// preload sends the tables of the expected programs, so that their first stacks are complete: those of
// -d, -c and -x, those that are probed, and their libraries.
func (s *session) preload() {
	if s.images == nil {
		return
	}
	for _, path := range s.cfg.Images {
		if !s.cfg.Libraries {
			s.images.preload(path)
			continue
		}
		s.images.preloadAll(withLibraries(path))
	}
	for _, image := range s.manifest.Images {
		if image.Path != "" {
			s.images.preloadAll(withLibraries(image.Path))
		}
	}
	switch {
	case s.cfg.Command != "":
		if program := programOf(s.cfg.Command); program != "" {
			s.images.preloadAll(withLibraries(program))
		}
	case s.cfg.Target > 0:
		s.images.preloadProcess(s.cfg.Target)
	}
}
