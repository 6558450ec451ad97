// SPDX-License-Identifier: GPL-2.0-or-later

// Package consumer is pass 5: it loads a module, starts it, reads what its
// probes write, puts that in order, formats it, and takes the module out of the
// kernel again.
//
//	result, err := consumer.Run(ctx, consumer.Config{Module: "hello.ko"})
//
// A session is three parties. The one that called Run (session.go, supervisor.go)
// decides when things begin and end: it waits for the script's exit(), a signal, the
// end of the -c command, the timeout. A goroutine owns the control socket
// (control.go). A goroutine, the reader (reader.go), owns the buffers and the
// output. None of them waits for another without a way out, so that a second
// Ctrl-C always ends the session, even while the output's reader sleeps.
//
// # Order
//
// Each CPU has its own buffer, in which times ascend: a handler runs with
// interrupts off, takes its time at its first record, and nothing else writes
// on that CPU until it is done. Output is to come in the order of times across
// CPUs, and the records of a handler run, which share one time, are to stay
// together.
//
// Merging the buffers by time is not enough. Where one CPU has shown a record
// of time 105, another may hold a handler that took time 100 and has not yet
// committed its record: it runs long, or its virtual CPU has been stolen. How
// long that lasts has no bound, so no delay is long enough. But whether it
// has ended can be asked: membarrier(2) with MEMBARRIER_CMD_GLOBAL returns
// after an RCU grace period, and a grace period waits for each region in which
// interrupts are off that was entered before. So the reader goes in rounds:
//
//  1. It looks at what every buffer has committed, and notes W, the latest
//     time among all records seen. The clocks are one clock: whichever
//     handler takes its time from now on gets one that is not below W.
//  2. It waits for a grace period. Handlers that had taken a time up to W have
//     now ended, and their records are committed.
//  3. It looks again at every buffer. All records up to W are there. It emits
//     them, merged by (time, CPU); those above W wait for the next round.
//
// Step 1 of a round is step 3 of the one before, and a grace period passes
// while the records of the previous one are formatted, so the waiting costs
// latency (8 to 20 ms) but neither throughput nor CPU time. Once the session
// has stopped, no handler runs and everything can be emitted.
//
// Records are emitted from the mapped buffers without being copied. Only when
// they have to wait while the kernel runs out of room are whole sub-buffers
// copied aside ("spilled"), so that a long grace period loses nothing.
//
// A kernel with nohz_full CPUs refuses this membarrier. There the reader waits
// 50 ms instead of a grace period: a handler that sleeps on its stolen CPU
// for longer than that comes out late, but comes out.
//
// # Leaving and attaching
//
// A session may go on without a consumer. A consumer that detaches does one round
// more, tells the kernel side for each CPU how many of its records have been read,
// and only then gives up the session. While no consumer is attached, a flight recorder
// overwrites its oldest sub-buffers, and counts their records. Attaching ends that
// before the buffers are read, from the first record that is neither read nor
// overwritten. So no sub-buffer is read while it is overwritten, and each record is
// written out once, or counted.
package consumer
