# SPDX-License-Identifier: GPL-2.0-or-later
#
# Runs in gdb: starts the program, makes gostap sample it, and writes gdb's frames at each sample, as
#
#	TID PC SP: PC PC PC… [end]
#
# where "end" means that gdb has found the outermost frame. gostap stops the program by a signal at each sample.
import os
import signal
import subprocess
import time

import gdb

stacks, folder, script = int(os.environ["STACKS"]), os.environ["FOLDER"], os.environ["SCRIPT"]
deepest = int(os.environ["DEEPEST"])
for setting in (
    "pagination off", "confirm off", "debuginfod enabled off", "auto-load off", "print thread-events off", "print inferior-events off",
    "backtrace past-main on", "backtrace past-entry on", "backtrace limit 400", "follow-fork-mode parent", "detach-on-fork on",
):
    gdb.execute("set " + setting)
gdb.execute("handle all nostop noprint pass", to_string=True)
gdb.execute("handle SIG40 stop print nopass", to_string=True)

stopped = None


def on_stop(event):
    global stopped
    stopped = event


gdb.events.stop.connect(on_stop)
gdb.execute("starti", to_string=True)
# At the entry, the linked libraries are mapped, so that gostap has their tables from the start.
for line in gdb.execute("info files", to_string=True).splitlines():
    if "Entry point:" in line:
        entry = int(line.split()[-1], 16)
if gdb.newest_frame().pc() != entry:
    gdb.execute("tbreak *%#x" % entry, to_string=True)
    gdb.execute("continue", to_string=True)
    assert gdb.newest_frame().pc() == entry
pid = gdb.selected_inferior().pid
output = os.path.join(folder, "sampled")
gostap = subprocess.Popen(["gostap", "-g", "-x", str(pid), "-o", output, script])
while not (os.path.exists(output) and "begun" in open(output).read()):
    assert gostap.poll() is None
    time.sleep(0.1)


def executable(pc):
    for line in open("/proc/%d/maps" % pid):
        span, mode = line.split()[:2]
        begin, end = (int(at, 16) for at in span.split("-"))
        if begin <= pc < end:
            return "x" in mode
    return False


# If a function has no unwind information for its caller, as Go's that switch stacks, gdb may continue with invalid addresses.
def frames():
    pcs, frame, complete = [], gdb.newest_frame(), False
    try:
        while frame is not None and len(pcs) < deepest + 1 and executable(frame.pc()):
            if frame.type() not in (gdb.INLINE_FRAME, gdb.TAILCALL_FRAME):
                pcs.append(frame.pc())
            older = frame.older()
            if older is None:
                complete = frame.unwind_stop_reason() in (gdb.FRAME_UNWIND_NO_REASON, gdb.FRAME_UNWIND_OUTERMOST)
            frame = older
    except (gdb.error, gdb.MemoryError):
        pass
    return pcs, complete


with open(os.path.join(folder, "frames"), "w") as out:
    while stacks:
        stopped = None
        gdb.execute("continue", to_string=True)
        if not isinstance(stopped, gdb.SignalEvent):
            print("the program has ended:", stopped)
            break
        pcs, complete = frames()
        sp = int(gdb.newest_frame().read_register("rsp")) & (1 << 64) - 1
        tid = gdb.selected_thread().ptid[1]
        print("%d %#x %#x: %s%s" % (tid, pcs[0], sp, " ".join("%#x" % pc for pc in pcs), " end" if complete else ""), file=out, flush=True)
        stacks -= 1
if gdb.selected_inferior().pid:
    gdb.execute("kill")
gostap.send_signal(signal.SIGINT)
gostap.wait(60)
