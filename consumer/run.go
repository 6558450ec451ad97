// SPDX-License-Identifier: GPL-2.0-or-later

package consumer

import (
	"context"
	"os"
	"path/filepath"
	"time"

	"github.com/pkg/errors"

	"gostap/manifest"
)

// How long a module is given to become free, and a step to end, when the user will
// not wait or the step should take no time.
const (
	unloadPatience  = 10 * time.Second
	abandonPatience = 2 * time.Second
)

// Run loads a module into the running kernel, writes out what its probes print
// until the script, the user, the command or the timeout ends the session, and
// takes the module out again. The error says why a session could not be
// started or went wrong; what the script itself did wrong is in the result.
func Run(ctx context.Context, cfg Config) (Result, error) {
	failed := Result{ExitCode: 1}
	m, err := ReadManifest(cfg.Module)
	if err != nil {
		return failed, err
	}
	if os.Geteuid() != 0 {
		return failed, errors.New("loading a module into the kernel takes root: run it with sudo")
	}
	if err := mountDebugfs(); err != nil {
		return failed, err
	}
	s, release := newSession(ctx, &cfg)
	defer release()
	k := &kernelSession{session: s, manifest: m}
	return k.run()
}

func newSession(ctx context.Context, cfg *Config) (*session, func()) {
	s := &session{ctx: ctx, cfg: cfg, say: newMessenger(cfg), ends: make(chan struct{}, 1)}
	s.systems = &systems{stdout: cfg.output(), say: s.say}
	if cfg.JSON {
		s.systems.stdout = os.Stderr
	}
	if cfg.Timeout > 0 {
		s.timeout = time.After(cfg.Timeout)
	}
	signals, release := catchSignals()
	s.signals = signals
	return s, release
}

// kernelSession is a session of a module in the kernel.
type kernelSession struct {
	*session
	manifest *manifest.Manifest
	mod      *module
	control  *control
	reader   *reader
	stats    *kernelStats // the last there are
}

// run is a session from load to unload.
func (k *kernelSession) run() (result Result, err error) {
	result.ExitCode = 1
	addrs, err := resolve(k.manifest.Symbols, k.manifest.BuildID != "" && k.manifest.BuildID == kernelBuildID())
	if err != nil {
		return result, err
	}
	began := time.Now()
	if k.mod, err = load(k.cfg.Module, k.manifest, k.cfg.BufferMB); err != nil {
		return result, err
	}
	k.verbose("loaded %s in %s", k.mod.name, since(began))
	defer func() {
		k.detach()
		patience := unloadPatience
		if k.caught >= abandon {
			patience = abandonPatience
		}
		if unloadErr := unload(k.mod.name, patience); unloadErr != nil && err == nil {
			result.ExitCode, err = 1, unloadErr
		}
		if !k.lastly() {
			result.ExitCode = 1
		}
	}()
	if err = k.attach(); err != nil {
		return result, err
	}
	if k.cfg.Command != "" {
		if k.command, err = startCommand(k.cfg.Command); err != nil {
			return result, err
		}
		k.cfg.Target = k.command.pid()
	}
	go k.reader.run()
	if err = k.start(addrs); err == nil {
		k.running(k.reader.done)
		err = k.stop()
	}
	if drainErr := k.drain(); err == nil {
		err = drainErr
	}
	result.Stats = k.report()
	if !k.say.failed() && err == nil {
		result.ExitCode = 0
	}
	return result, err
}

// attach opens the module's control channel and buffers.
func (k *kernelSession) attach() (err error) {
	if k.control, err = dialControl(k.mod.family, k.message); err != nil {
		return err
	}
	if k.stats, err = k.control.stats(); err != nil {
		return errors.Wrap(err, "asking the module for its state")
	}
	if k.out, err = newOutput(k.cfg, k.manifest, &k.stats.clock); err != nil {
		return err
	}
	k.out.fail = k.outputFailed
	k.out.system = k.systems.run
	dir := filepath.Join(relayDir, k.mod.name)
	have := make(map[int]bool)
	buffers, err := openBuffers(dir, have)
	if err != nil {
		return err
	}
	if k.reader, err = newReader(buffers, k.out, kernelBarrier()); err != nil {
		for _, b := range buffers {
			b.close()
		}
		return err
	}
	k.reader.plug = func() []*buffer {
		// A CPU whose buffer cannot be opened now is tried again the next time.
		more, _ := openBuffers(dir, have)
		return more
	}
	return nil
}

// start runs the begin probes, arms the others, and lets the command of -c go.
func (k *kernelSession) start(addrs []uint64) error {
	began := time.Now()
	params := startParams{addrs: addrs, target: int64(k.cfg.Target), globals: k.cfg.Globals}
	var stats *kernelStats
	var err error
	if !k.do(func() { stats, err = k.control.start(params) }) {
		return errAbandoned
	}
	if err != nil {
		if k.say.failed() { // the module has said why
			return errors.New("the session could not be started")
		}
		return errors.Wrap(err, "starting the session")
	}
	k.verbose("started in %s", since(began))
	k.stats = stats
	if k.command != nil {
		k.command.release()
	}
	if stats.state == stateExiting || stats.state == stateFailed {
		k.end()
	}
	return nil
}

// stop disarms the probes and runs the end probes.
func (k *kernelSession) stop() error {
	began := time.Now()
	var stats *kernelStats
	var err error
	if !k.do(func() { stats, err = k.control.stop() }) {
		return errAbandoned
	}
	if err != nil {
		return errors.Wrap(err, "ending the session")
	}
	k.verbose("stopped in %s", since(began))
	k.stats = stats
	return nil
}

// drain has the reader write out everything there is.
func (k *kernelSession) drain() error {
	k.reader.stop()
	if !k.await(k.reader.done) {
		return errAbandoned
	}
	return k.reader.err
}

// detach gives up everything that keeps the module in use. The session must go
// on to the module's removal, so nothing here is waited for long.
func (k *kernelSession) detach() {
	if k.command != nil {
		k.command.cancel()
	}
	if k.reader != nil {
		k.reader.close()
	}
	if k.control != nil {
		closed := make(chan struct{})
		go func() {
			k.control.close()
			close(closed)
		}()
		select {
		case <-closed:
		case <-time.After(abandonPatience):
		}
	}
}

func since(t time.Time) time.Duration { return time.Since(t).Round(time.Millisecond / 10) }
