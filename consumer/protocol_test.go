// SPDX-License-Identifier: GPL-2.0-or-later

package consumer

import (
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"unsafe"

	"gostap/consumer/unwind"
	"gostap/internal/linetable"
)

// TestProtocol compares protocol.go with the C header, number by number.
func TestProtocol(t *testing.T) {
	want := map[string]uint64{
		"REC_PRINT": recPrint, "REC_TEXT": recText, "REC_HIST": recHist, "REC_SYSTEM": recSystem, "REC_STACK": recStack, "REC_USTACK": recUstack,
		"REC_SWITCH_FILE": recSwitchFile, "REC_TASK": recTask,
		"FRAME_CALL": frameCall, "NO_IMAGE": noImage, "VDSO": vdsoImage, "KERNEL": kernelImage, "TABLES_MAX": tablesMax,
		"USTACK_BRIEF": ustackBrief, "USTACK_LINES": ustackLines, "USTACK_BUSY": ustackBusy, "USTACK_FAULT": ustackFault,
		"USTACK_GUESSED": ustackGuessed, "USTACK_DEEP": ustackDeep,
		"CFA_NONE": unwind.CFANone, "CFA_REGISTER": unwind.CFARegister, "CFA_DEREF": unwind.CFADeref, "CFA_PLT": unwind.CFAPLT, "CFA_CGO": unwind.CFACgo,
		"RULE_END": unwind.FlagEnd, "RULE_SIGNAL": unwind.FlagSignal, "FROM_CFA": unwind.FromCFA,
		"STACK_RETURN": stackReturn, "STACK_LINES": stackLines,
		"REC_MESSAGE": recMessage, "REC_STATS": recStats, "REC_VIEW": recView,
		"IOC_CONSUMED": iocConsumed, "IOC_GEOMETRY": iocGeometry, "IOC_FIRST": iocFirst,
		"IOC_START": iocStart, "IOC_STOP": iocStop, "IOC_IMAGE": iocImage, "IOC_TABLE": iocTable, "IOC_VIEW": iocView, "IOC_RESET": iocReset, "IOC_SWITCH": iocSwitch,
		"VIEW_PROBES": viewProbes, "VIEW_END": viewEnd, "VIEW_MAX": viewMax, "CMD_STATS": cmdStats,
		"CMD_MESSAGE": cmdMessage, "CMD_ATTACH": cmdAttach, "CMD_DETACH": cmdDetach,
		"A_MSG_KIND": attrMsgKind, "A_TEXT": attrText, "A_NEAR": attrNear, "A_POINT": attrPoint,
		"A_CLOCK_NOW": attrClockNow, "A_CLOCK_NS": attrClockNs, "A_CLOCK_KHZ": attrClockKhz,
		"A_STATE": attrState, "A_ERRORS": attrErrors, "A_SKIPPED": attrSkipped, "A_LOST": attrLost,
		"A_UNARMED": attrUnarmed, "A_WRITTEN": attrWritten,
		"A_OVERWRITTEN": attrOverwritten, "A_FIRST": attrFirst, "A_OWNER": attrOwner, "A_MEMORY": attrMemory, "A_KPROBES": attrKprobes,
		"A_LOADED":    attrLoaded,
		"F_OVERWRITE": flagOverwrite, "F_DETACHED": flagDetached,
		"MSG_ERROR": msgError, "MSG_WARNING": msgWarning, "MSG_EXIT": msgExit, "MSG_IMAGES": msgImages,
		"STATE_LOADED": stateLoaded, "STATE_STARTING": stateStarting, "STATE_RUNNING": stateRunning,
		"STATE_EXITING": stateExiting, "STATE_STOPPED": stateStopped, "STATE_FAILED": stateFailed,
		"SKIP_BUSY": skipBusy, "SKIP_LOCK": skipLock, "SKIP_STACK": skipStack,
		"SKIP_MAXACTIVE": skipMaxactive, "SKIP_MEMORY": skipMemory, "NSKIP": nSkip,
	}
	header, err := os.ReadFile("../runtime-c/include/protocol.h")
	if err != nil {
		t.Fatal(err)
	}
	defines := regexp.MustCompile(`(?m)^#define GS_(\w+)\s+(\w+)`).FindAllStringSubmatch(string(header), -1)
	for _, m := range defines {
		got, err := strconv.ParseUint(strings.TrimRight(m[2], "uUlL"), 0, 64)
		if err != nil {
			t.Errorf("GS_%s: %v", m[1], err)
		}
		number, known := want[m[1]]
		if !known {
			t.Errorf("GS_%s is not in protocol.go", m[1])
		} else if number != got {
			t.Errorf("GS_%s is %d in protocol.h, %d in protocol.go", m[1], got, number)
		}
		delete(want, m[1])
	}
	for name := range want {
		t.Errorf("GS_%s is not in protocol.h", name)
	}
	if unsafe.Sizeof(subbuf{}) != subbufSize || unsafe.Sizeof(record{}) != recordSize {
		t.Error("the sizes of subbuf and record are not those of their constants")
	}
	// An ioctl's number contains the size of its argument.
	if unsafe.Sizeof(startArgs{}) != iocStart>>16&0x3fff || unsafe.Sizeof(geometry{}) != iocGeometry>>16&0x3fff ||
		unsafe.Sizeof(nextImage{}) != iocImage>>16&0x3fff || unsafe.Sizeof(imageTable{}) != iocTable>>16&0x3fff ||
		unsafe.Sizeof(viewRead{}) != iocView>>16&0x3fff {
		t.Error("the sizes of an ioctl's argument is not that in its number")
	}
	if unsafe.Sizeof(unwind.Rule{}) != 44 || unsafe.Sizeof(imageSymbol{}) != 12 || unsafe.Sizeof(linetable.Row{}) != 12 {
		t.Error("the sizes of gs_unwind_rule, gs_image_symbol and gs_image_line are others")
	}
}
