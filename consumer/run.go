// SPDX-License-Identifier: GPL-2.0-or-later

package consumer

import (
	"context"
	"os"
	"time"

	"github.com/pkg/errors"
	"golang.org/x/sys/unix"

	"gostap/internal/panics"
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
// takes the module out again. A flight recorder (Config.Recorder), and a session
// that the user leaves by SIGQUIT, stay: see Attach. The error says why a session
// could not be started or went wrong; what the script itself did wrong is in the
// result.
func Run(ctx context.Context, cfg Config) (Result, error) {
	failed := Result{ExitCode: 1}
	m, err := ReadManifest(cfg.Module)
	if err != nil {
		return failed, err
	}
	if os.Geteuid() != 0 {
		return failed, errors.New("loading a module into the kernel takes root: run it with sudo")
	}
	s, release := newSession(ctx, &cfg)
	defer release()
	s.detachable = true
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
	reader   *reader      // nil in a flight recorder that nobody reads
	stats    *kernelStats // the last there are
	left     bool         // the session goes on without us

	kprobesOff bool // that has been said
}

// run is a session from load to unload, or until it is left.
func (k *kernelSession) run() (result Result, err error) {
	result.ExitCode = 1
	if err := k.ctx.Err(); err != nil {
		return result, errors.New("interrupted")
	}
	began := time.Now()
	if k.mod, err = load(k.cfg.Module, k.manifest, k.cfg.BufferMB); err != nil {
		return result, err
	}
	k.verbose("loaded %s in %s", k.mod.name, since(began))
	defer func() { k.leaveOrRemove(&result, &err) }()
	if err = k.connect(); err != nil {
		return result, err
	}
	n := sessionFile{Script: k.cfg.Script, Manifest: k.manifest}
	if fileErr := n.write(k.mod.family); fileErr != nil && k.cfg.Recorder {
		return result, errors.Wrap(fileErr, "nobody could attach")
	} else if fileErr != nil {
		k.verbose("nobody can attach: %v", fileErr)
	}
	if k.cfg.Recorder {
		return k.record()
	}
	if err = k.read(); err != nil {
		return result, err
	}
	if k.cfg.Command != "" {
		if k.command, err = startCommand(k.cfg.Command); err != nil {
			return result, err
		}
		k.cfg.Target = k.command.pid()
	}
	if err = k.start(); err != nil {
		k.drain()
		k.report()
		return result, err
	}
	if k.cfg.Started != nil && k.stats.state == stateRunning {
		k.cfg.Started()
	}
	return k.follow()
}

// record starts a flight recorder and leaves it. If the script has ended by
// then, or the user would have it end, what it printed is all there is.
func (k *kernelSession) record() (result Result, err error) {
	result.ExitCode = 1
	if err = k.start(); err != nil {
		return result, err
	}
	if k.stats.state == stateRunning && k.caught == 0 {
		if k.stats, err = k.control.detach(); err != nil {
			return result, errors.Wrap(err, "leaving the session")
		}
		k.left = true
		return Result{ExitCode: 0}, nil
	}
	// Nothing is to be overwritten any more.
	if k.stats, err = k.control.attach(); err != nil {
		return result, errors.WithStack(err)
	}
	if err = k.read(); err != nil {
		return result, err
	}
	return k.follow()
}

// follow writes out what the probes print until something ends the session, and
// ends it, or until the user leaves it.
func (k *kernelSession) follow() (result Result, err error) {
	k.running(k.reader.done)
	if k.leaving.Load() {
		err = k.depart()
	} else {
		err = k.stop()
		if drainErr := k.drain(); err == nil {
			err = drainErr
		}
	}
	result.Stats = k.report()
	if k.say.failed() || err != nil {
		result.ExitCode = 1
	}
	return result, err
}

// connect opens the module's control channel, and makes this process the session's owner.
func (k *kernelSession) connect() (err error) {
	if k.control, err = dialControl(k.mod.family, k.message); err != nil {
		return err
	}
	k.goes(func() {
		<-k.control.lost
		panics.Rethrow(k.control.err)
	})
	if k.stats, err = k.control.attach(); err != nil {
		return errors.Wrap(err, "attaching to the module's session")
	}
	return nil
}

// read opens the module's buffers, and has them emptied from now on.
func (k *kernelSession) read() (err error) {
	if k.out, err = newOutput(k.cfg, k.manifest, &k.stats.clock); err != nil {
		return err
	}
	k.out.fail = k.outputFailed
	k.out.system = k.systems.run
	dir := sessionDirs + k.mod.name
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
	go k.reader.run()
	return nil
}

// start runs the begin probes, arms the others, and lets the command of -c go.
func (k *kernelSession) start() error {
	began := time.Now()
	if k.cfg.Verbose > 0 {
		k.say.info("the script's data take %.1f MB, the buffers %d MB", float64(k.stats.memory)/(1<<20), k.mod.buffers>>20)
	}
	params := startParams{target: int64(k.cfg.Target), globals: k.cfg.Globals}
	if k.cfg.Recorder {
		params.flags = flagOverwrite | flagDetached
	}
	var stats *kernelStats
	var err error
	if !k.do(func() { stats, err = k.resolveAndStart(params) }) {
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
	k.checkKprobes()
	if k.command != nil {
		k.command.release()
	}
	if stats.state == stateExiting || stats.state == stateFailed {
		k.end()
	}
	return nil
}

// resolveAndStart finds the symbols' addresses and starts the session with them.
// Where a module has come or gone in between, it tries again.
func (k *kernelSession) resolveAndStart(params startParams) (*kernelStats, error) {
	starter, err := openStarter(k.mod.name)
	if err != nil {
		return nil, err
	}
	defer starter.close()
	sameKernel := k.manifest.BuildID != "" && k.manifest.BuildID == kernelBuildID()
	for {
		if params.addrs, err = resolve(k.manifest.Symbols, sameKernel); err != nil {
			return nil, err
		}
		if err = starter.start(params); !errors.Is(err, unix.EAGAIN) {
			break
		}
	}
	// In any case: the answer comes behind what the module has said.
	stats, statsErr := k.control.stats()
	if err == nil {
		err = statsErr
	}
	return stats, err
}

// stop disarms the probes and runs the end probes.
func (k *kernelSession) stop() error {
	began := time.Now()
	var stats *kernelStats
	var err error
	if !k.do(func() {
		if err = stopSession(k.mod.name); err == nil {
			stats, err = k.control.stats()
		}
	}) {
		return errAbandoned
	}
	if err != nil {
		return errors.Wrap(err, "ending the session")
	}
	k.verbose("stopped in %s", since(began))
	k.stats = stats
	k.checkKprobes()
	return nil
}

// checkKprobes warns, once, where all kprobes are switched off, for the kernel says nothing of it to those that it registers.
func (k *kernelSession) checkKprobes() {
	const file = debugfs + "/kprobes/enabled"
	if k.stats.kprobes == 0 || k.kprobesOff {
		return
	}
	mountDebugfs()
	if readTrimmed(file) != "0" {
		return
	}
	k.kprobesOff = true
	k.say.warning("kprobes are switched off in this kernel, and those of this session are not hit; echo 1 >%s switches them on", file)
}

// drain has the reader write out everything there is, and tells the kernel side
// what that was.
func (k *kernelSession) drain() error {
	k.reader.stop()
	if !k.await(k.reader.done) {
		return errAbandoned
	}
	if k.reader.err != nil {
		return k.reader.err
	}
	for _, b := range k.reader.buffers {
		if err := b.leave(); err != nil {
			return errors.Wrap(err, "leaving the buffers")
		}
	}
	return nil
}

// depart leaves the session to itself. What has been printed until now is
// written out, what comes from now on is for whoever attaches.
func (k *kernelSession) depart() error {
	k.reader.leaving.Store(true)
	if err := k.drain(); err != nil {
		return err
	}
	k.reader.close()
	stats, err := k.control.detach()
	if err != nil {
		return errors.Wrap(err, "leaving the session")
	}
	k.stats = stats
	k.left = true
	return nil
}

// leaveOrRemove gives up the module, and takes it out of the kernel unless the
// session goes on without us. It has the last word on how the session went.
func (k *kernelSession) leaveOrRemove(result *Result, err *error) {
	k.detach()
	if k.left {
		result.Left = k.mod.name
		return
	}
	patience := unloadPatience
	if k.caught >= abandon {
		patience = abandonPatience
	}
	unloadErr := unload(k.mod.name, patience)
	if unloadErr == nil {
		os.Remove(sessionFilePath(k.mod.family))
	} else if *err == nil {
		result.ExitCode, *err = 1, unloadErr
	}
	if !k.lastly() {
		result.ExitCode = 1
	}
	if e := k.panicked.Load(); e != nil {
		result.ExitCode, *err = 1, e
	}
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
		k.goes(func() {
			defer close(closed)
			k.control.close()
		})
		select {
		case <-closed:
		case <-time.After(abandonPatience):
		}
	}
}

func since(t time.Time) time.Duration { return time.Since(t).Round(time.Millisecond / 10) }
