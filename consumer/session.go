// SPDX-License-Identifier: GPL-2.0-or-later

package consumer

import (
	"context"
	"fmt"
	"os"
	"time"

	"github.com/pkg/errors"

	"gostap/internal/distro"
	"gostap/internal/panics"
	"gostap/manifest"
)

// How long to wait for a module to be unused, and for a step that should be fast, or
// after the user has lost patience.
const (
	unloadPatience  = 10 * time.Second
	abandonPatience = 2 * time.Second
)

// Run loads a module into the running kernel, writes out what its probes print
// until the script, the user, the command or the timeout ends the session, and
// takes the module out again. A flight recorder (Config.Recorder), and a session
// that the user leaves by SIGQUIT, stay: see Attach. The error says why a session
// could not be started or went wrong; errors of the script itself are in the
// result.
func Run(ctx context.Context, cfg Config) (Result, error) {
	failed := Result{ExitCode: 1}
	m, err := ReadManifest(cfg.Module)
	if err != nil {
		return failed, err
	}
	if os.Geteuid() != 0 {
		return failed, errors.New("loading a module into the kernel takes root: run it with sudo; " + distro.Doctor)
	}
	supervisor, release := newSupervisor(ctx, &cfg)
	defer release()
	supervisor.detachable = true
	s := &session{supervisor: supervisor, manifest: m}
	return s.run()
}

// A session is that of a module in the kernel: from loading it to its removal, or until it is left.
type session struct {
	*supervisor
	manifest *manifest.Manifest
	mod      *module
	control  *control
	reader   *reader      // nil in a flight recorder
	images   *images      // nil without programs' stacks
	lines    *kernelLines // nil if they are not used, or not known
	stats    *kernelStats // the latest
	left     bool         // the session continues without this process

	kprobesOff bool // has been reported
}

// run is a session from load to unload, or until it is left.
func (s *session) run() (result Result, err error) {
	result.ExitCode = 1
	if err := s.ctx.Err(); err != nil {
		return result, errors.New("interrupted")
	}
	began := time.Now()
	if s.mod, err = load(s.cfg.Module, s.manifest, s.cfg.BufferMB); err != nil {
		return result, err
	}
	s.verbose("loaded %s in %s", s.mod.name, since(began))
	defer func() { s.leaveOrRemove(&result, &err) }()
	if err = s.connect(); err != nil {
		return result, err
	}
	n := sessionFile{Script: s.cfg.Script, Manifest: s.manifest}
	if fileErr := n.write(s.mod.genlFamily); fileErr != nil && s.cfg.Recorder {
		return result, errors.Wrap(fileErr, "nobody could attach")
	} else if fileErr != nil {
		s.verbose("nobody can attach: %v", fileErr)
	}
	if s.cfg.Recorder {
		return s.record()
	}
	if err = s.read(); err != nil {
		return result, err
	}
	if s.cfg.Command != "" {
		if s.command, err = startCommand(s.cfg.Command, s.cfg.commandOutput()); err != nil {
			return result, err
		}
		s.cfg.Target = s.command.pid()
	}
	s.preload()
	if err = s.start(); err != nil {
		s.drain()
		s.report()
		return result, err
	}
	if s.cfg.Started != nil && s.stats.state == stateRunning {
		s.cfg.Started()
	}
	end, err := s.watch()
	if err != nil {
		return result, err
	}
	defer end()
	return s.follow()
}

// record starts a flight recorder and leaves it. If the script has ended by then, or
// the user has ended it, its output is written.
func (s *session) record() (result Result, err error) {
	result.ExitCode = 1
	s.preload()
	if err = s.start(); err != nil {
		return result, err
	}
	if s.stats.state == stateRunning && s.caught == 0 {
		if s.stats, err = s.control.detach(); err != nil {
			return result, errors.Wrap(err, "leaving the session")
		}
		s.left = true
		return Result{ExitCode: 0}, nil
	}
	// From now on nothing is overwritten.
	if s.stats, err = s.control.attach(); err != nil {
		return result, errors.WithStack(err)
	}
	if err = s.read(); err != nil {
		return result, err
	}
	return s.follow()
}

// follow writes out what the probes print until something ends the session, and
// ends it, or until the user leaves it.
func (s *session) follow() (result Result, err error) {
	restore := s.feedInput()
	defer restore()
	s.waitForEnd(s.reader.done)
	if s.leaving.Load() {
		err = s.depart()
	} else {
		err = s.stop()
		if drainErr := s.drain(); err == nil {
			err = drainErr
		}
	}
	s.final()
	result.Stats = s.report()
	if s.messages.failed() || err != nil {
		result.ExitCode = 1
	}
	return result, err
}

// connect opens the module's control channel, and makes this process the session's owner.
func (s *session) connect() (err error) {
	if s.manifest.UserStacks {
		if err = s.followImages(); err != nil {
			return err
		}
	}
	if err = s.openKernelLines(); err != nil {
		return err
	}
	if s.control, err = dialControl(s.mod.genlFamily, s.message); err != nil {
		return err
	}
	s.background(func() {
		<-s.control.lost
		panics.Rethrow(s.control.err)
	})
	if s.stats, err = s.control.attach(); err != nil {
		return errors.Wrap(err, "attaching to the module's session")
	}
	if s.images != nil {
		s.images.update() // images that were sent to a previous consumer
	}
	return nil
}

// read opens the module's buffers, and starts the reader.
func (s *session) read() (err error) {
	if s.out, err = newOutput(s.cfg, s.manifest, &s.stats.clock, s.images, s.lines); err != nil {
		return err
	}
	s.out.fail = s.outputFailed
	s.out.system = s.systemCommands.run
	dir := sessionDirs + s.mod.name
	have := make(map[int]bool)
	buffers, err := openBuffers(dir, have)
	if err != nil {
		return err
	}
	if err := s.cfg.Bulk.openAll(buffers); err != nil {
		for _, b := range buffers {
			b.close()
		}
		return err
	}
	if s.reader, err = newReader(buffers, s.out, kernelBarrier()); err != nil {
		for _, b := range buffers {
			b.close()
		}
		return err
	}
	s.reader.openNew = func() []*buffer {
		// A CPU whose buffer cannot be opened now is tried again the next time.
		more, _ := openBuffers(dir, have)
		return more
	}
	go s.reader.run()
	return nil
}

// start runs the begin probes, arms the others, and executes the command of -c.
func (s *session) start() error {
	began := time.Now()
	if s.cfg.Verbose > 0 {
		s.messages.info("the script's data take %.1f MB, the buffers %d MB", float64(s.stats.memory)/(1<<20), s.mod.buffers>>20)
	}
	files, err := openPrograms(s.manifest.Images, s.messages)
	if err != nil {
		return err
	}
	defer closePrograms(files)
	params := startParams{target: int64(s.cfg.Target), files: descriptors(files), globals: s.cfg.globals(s.manifest)}
	if s.cfg.Recorder {
		params.flags = flagOverwrite | flagDetached
	}
	var stats *kernelStats
	s.progress(fmt.Sprintf("arming %d probe points", len(s.manifest.Points)))
	defer s.progress("")
	if !s.do(func() { stats, err = s.resolveAndStart(params) }) {
		return errAbandoned
	}
	if err != nil {
		if s.messages.failed() { // the module has sent the reason
			return errors.New("the session could not be started")
		}
		return errors.Wrap(err, "starting the session")
	}
	s.verbose("started in %s", since(began))
	s.stats = stats
	s.checkKprobes()
	if s.command != nil {
		s.command.release()
	}
	if stats.state == stateExiting || stats.state == stateFailed {
		s.end()
	}
	return nil
}

// resolveAndStart finds the symbols' addresses and starts the session with them.
// If a module is loaded or unloaded in between, the kernel side corrects them.
func (s *session) resolveAndStart(params startParams) (*kernelStats, error) {
	starter, err := openStarter(s.mod.name)
	if err != nil {
		return nil, err
	}
	defer starter.close()
	sameKernel := s.manifest.Images[0].BuildID != "" && s.manifest.Images[0].BuildID == kernelBuildID()
	if params.addrs, err = resolve(s.manifest, sameKernel); err != nil {
		return nil, err
	}
	err = starter.start(params)
	// Also after an error: messages come before the reply.
	stats, statsErr := s.control.stats()
	if err == nil {
		err = statsErr
	}
	return stats, err
}

// stop disarms the probes and runs the end probes.
func (s *session) stop() error {
	began := time.Now()
	s.progress("disarming the probes")
	defer s.progress("")
	var stats *kernelStats
	var err error
	if !s.do(func() {
		if err = stopSession(s.mod.name); err == nil {
			stats, err = s.control.stats()
		}
	}) {
		return errAbandoned
	}
	if err != nil {
		return errors.Wrap(err, "ending the session")
	}
	s.verbose("stopped in %s", since(began))
	s.stats = stats
	s.checkKprobes()
	return nil
}

// progress reports what is being done.
func (s *session) progress(what string) {
	if s.cfg.Progress != nil {
		s.cfg.Progress(what)
	}
}

// checkKprobes warns, once, if all kprobes are switched off: registering one succeeds nevertheless.
func (s *session) checkKprobes() {
	const file = debugfs + "/kprobes/enabled"
	if s.stats.kprobes == 0 || s.kprobesOff {
		return
	}
	mountDebugfs()
	if readTrimmed(file) != "0" {
		return
	}
	s.kprobesOff = true
	s.messages.warning("kprobes are switched off in this kernel, and those of this session are not hit; echo 1 >%s switches them on", file)
}

func since(t time.Time) time.Duration { return time.Since(t).Round(time.Millisecond / 10) }
