// SPDX-License-Identifier: GPL-2.0-or-later

package consumer

// What runtime-c/include/protocol.h says, in Go. TestProtocol compares every
// number; the header's comments explain them.

// subbuf is struct gs_subbuf, which begins each sub-buffer.
type subbuf struct {
	seq       uint64
	committed uint32
	closed    uint32
	lost      uint64
	written   uint64
}

// geometry is struct gs_geometry.
type geometry struct {
	size, n         uint32
	consumed, first uint64
}

// record is struct gs_record, which begins each record.
type record struct {
	len   uint32
	kind  uint16
	point uint16
	time  uint64
}

const (
	subbufSize = 32 // sizeof(struct gs_subbuf)
	recordSize = 16 // sizeof(struct gs_record)
	noPoint    = 0xffff
)

// GS_REC_*: kinds of records.
const (
	recPrint      = 1
	recText       = 2
	recHist       = 3
	recSystem     = 4
	recStack      = 5
	recUstack     = 6
	recSwitchFile = 7
	recTask       = 8
)

// task is struct gs_task, a recTask's payload.
type task struct {
	pid, tid        uint32
	thread, process [16]byte
}

// GS_STACK_*: flags of GS_REC_STACK.
const (
	stackReturn = 1
	stackLines  = 2
)

// GS_FRAME_CALL, GS_NO_IMAGE, GS_VDSO and GS_KERNEL: values of gs_frame.image. The size of gs_frame.
const (
	frameCall   = 1 << 31
	noImage     = 1<<31 - 1
	vdsoImage   = 0
	kernelImage = 1
	frameSize   = 16
)

// GS_USTACK_*: flags of GS_REC_USTACK.
const (
	ustackBrief   = 1
	ustackLines   = 2
	ustackBusy    = 4
	ustackFault   = 8
	ustackGuessed = 16
	ustackDeep    = 32
)

// More kinds, of the host runtime alone.
const (
	recMessage = 16
	recStats   = 17
	recView    = 18
)

// GS_IOC_*: the ioctls of a cpuN file.
const (
	iocConsumed = 0x4701
	iocGeometry = 0x80184702
	iocFirst    = 0x4703
)

// The same: the ioctls of a session's control file.
const (
	iocStart = 0x40304710
	iocStop  = 0x4711
	iocImage = 0xc0184712
	iocTable = 0xc0604713

	iocView   = 0xc0184714
	iocReset  = 0x4715
	iocSwitch = 0x4716
)

// viewRead is struct gs_view_read, the argument of iocView.
type viewRead struct {
	view, from uint32
	to         uint64
	size, pad  uint32
}

// GS_VIEW_PROBES, GS_VIEW_END and GS_VIEW_MAX: the view of the probes, the end of a view, and the
// maximal number of bytes in a read.
const (
	viewProbes = 0xffffffff
	viewEnd    = 0xffffffff
	viewMax    = 65536
)

// probeFigures is struct gs_probe_figures.
type probeFigures struct{ hits, total, min, max, off uint64 }

// nextImage is struct gs_next_image, the argument of iocImage.
type nextImage struct {
	image         uint32
	fd            int32
	path          uint64
	pathSize, pad uint32
}

// imageTable is struct gs_image_table, the argument of iocTable.
type imageTable struct {
	image                              uint32
	fd                                 int32
	nrows, nrules, nsymbols, namesSize uint32
	nlines, pad                        uint32
	start                              uint64
	offsets, ruleOf, rules             uint64
	symbols, lines, names, path        uint64
}

// imageSymbol is struct gs_image_symbol.
type imageSymbol struct{ offset, size, name uint32 }

// tablesMax is GS_TABLES_MAX.
const tablesMax = 64 << 20

// startArgs is struct gs_start, the argument of iocStart.
type startArgs struct {
	addrs, globals      uint64
	naddrs, globalsSize uint32
	target              int64
	flags, nfiles       uint32
	files               uint64
}

// GS_CMD_*: generic netlink commands.
const (
	cmdStats   = 3
	cmdMessage = 4
	cmdAttach  = 5
	cmdDetach  = 6
)

// GS_A_*: generic netlink attributes.
const (
	attrMsgKind     = 5
	attrText        = 6
	attrNear        = 7
	attrPoint       = 8
	attrClockNow    = 9
	attrClockNs     = 10
	attrClockKhz    = 11
	attrState       = 12
	attrErrors      = 13
	attrSkipped     = 14
	attrLost        = 15
	attrUnarmed     = 16
	attrWritten     = 17
	attrOverwritten = 18
	attrFirst       = 19
	attrOwner       = 20
	attrMemory      = 21
	attrKprobes     = 22
	attrLoaded      = 23
)

// GS_F_*: flags of START.
const (
	flagOverwrite = 1
	flagDetached  = 2
)

// GS_MSG_*: kinds of messages.
const (
	msgError   = 1
	msgWarning = 2
	msgExit    = 3
	msgImages  = 4
)

// GS_STATE_*: where a session is in its life.
const (
	stateLoaded   = 0
	stateStarting = 1
	stateRunning  = 2
	stateExiting  = 3
	stateStopped  = 4
	stateFailed   = 5
)

// GS_SKIP_*: why a handler was skipped.
const (
	skipBusy      = 0
	skipLock      = 1
	skipStack     = 2
	skipMaxactive = 3
	skipMemory    = 4
	nSkip         = 5
)
