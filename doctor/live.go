// SPDX-License-Identifier: GPL-2.0-or-later

package doctor

import (
	"os"
	"os/exec"
	"strings"

	"golang.org/x/sys/unix"
)

// probeLive collects facts about the running kernel.
func probeLive() *Live {
	l := &Live{
		UID:             os.Geteuid(),
		ModulesDisabled: line("/proc/sys/kernel/modules_disabled") == "1",
		Lockdown:        chosen(line("/sys/kernel/security/lockdown")),
		SigEnforce:      line("/sys/module/module/parameters/sig_enforce") == "Y",
		SecureBoot:      secureBoot(),
		FtraceEnabled:   line("/proc/sys/kernel/ftrace_enabled"),
		KprobesEnabled:  line("/sys/kernel/debug/kprobes/enabled"),
	}
	header := unix.CapUserHeader{Version: unix.LINUX_CAPABILITY_VERSION_3}
	var sets [2]unix.CapUserData // of 32 capabilities each
	if unix.Capget(&header, &sets[0]) == nil {
		l.LoadModules = sets[0].Effective&(1<<unix.CAP_SYS_MODULE) != 0
		l.Administer = sets[0].Effective&(1<<unix.CAP_SYS_ADMIN) != 0
	}
	_, err := os.Stat("/proc/modules")
	l.NoModules = os.IsNotExist(err)
	// Hardware events belong to a device of type 4, PERF_TYPE_RAW; hybrid processors have one for each
	// kind of core.
	for _, device := range []string{"cpu", "cpu_core"} {
		if _, err := os.Stat("/sys/bus/event_source/devices/" + device); err == nil {
			l.Counters = true
		}
	}
	_, err = exec.LookPath("mokutil")
	l.Mokutil = err == nil
	l.Keys = keys(l.Mokutil)
	return l
}

// line is the content of a file of one line, "" if it can't be read.
func line(path string) string {
	text, _ := os.ReadFile(path)
	return strings.TrimSpace(string(text))
}

// chosen is the word in brackets: "none [integrity] confidentiality".
func chosen(text string) string {
	_, rest, _ := strings.Cut(text, "[")
	word, _, _ := strings.Cut(rest, "]")
	return word
}

// secureBoot reads the firmware's variable: four bytes of attributes, then 1 if Secure Boot is on.
// https://uefi.org/specs/UEFI/2.10/03_Boot_Manager.html#globally-defined-variables
func secureBoot() bool {
	value, err := os.ReadFile("/sys/firmware/efi/efivars/SecureBoot-8be4df61-93ca-11d2-aa0d-00e098032b8c")
	return err == nil && len(value) == 5 && value[4] == 1
}

// keys are the keys that dkms makes on Debian and Ubuntu for the modules that it builds.
func keys(mokutil bool) []Key {
	var list []Key
	for _, k := range []Key{
		{Key: "/var/lib/dkms/mok.key", Cert: "/var/lib/dkms/mok.pub"},
		{Key: "/var/lib/shim-signed/mok/MOK.priv", Cert: "/var/lib/shim-signed/mok/MOK.der"},
	} {
		if _, err := os.Stat(k.Cert); err != nil {
			continue
		}
		if mokutil {
			// mokutil's exit code differs between versions.
			said, _ := exec.Command("mokutil", "--test-key", k.Cert).CombinedOutput()
			k.Enrolled = strings.Contains(string(said), "is already enrolled")
		}
		list = append(list, k)
	}
	return list
}
