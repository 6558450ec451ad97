#!/bin/busybox sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# PID 1 of the guest. It mounts the host's root read-only under an overlay, runs the command there with its streams
# on virtio-serial ports, and sends the command's exit status on the control port. It stays in the initramfs itself, so
# that it does not depend on what it mounts. When it gives up, the kernel panics, which ends the VM.
#
# /session sets MARKER, the bytes that end the output streams; FOREIGN, if only the files of the user who runs the VM
# have a known owner here; MODULES, the folder of the kernel's modules where they are not in the host's /lib/modules;
# and the positional parameters, the directories to be writable. /command runs the command.

fail() {
	echo "gostap vm: $*" >/dev/console
	exit 1
}

mount -t devtmpfs dev /dev || fail "cannot mount /dev"
exec </dev/null >/dev/console 2>&1
. /session
for module in /modules/*; do
	[ ! -f "$module" ] || insmod "$module" || fail "cannot load $module"
done

# The control port has the highest number, and the host announces its ports in order: once its first line arrives,
# the other ports are connected, and end-of-file on one is the host's doing.
until [ -c /dev/vport0p4 ]; do sleep 0.01; done
exec 3<>/dev/vport0p4
echo init >&3
until read -r hello <&3; do sleep 0.01; done

# The root. Only with a directory to be written may the host's files be mounted for writing, and then nowhere else.
mode=ro
[ $# -eq 0 ] || mode=rw
mount -t virtiofs -o $mode host /host || fail "cannot mount the host's root"
mount -t tmpfs tmpfs /rw && mkdir /rw/upper /rw/work || fail "cannot mount /rw"
mount -t overlay -o "lowerdir=/host,upperdir=/rw/upper,workdir=/rw/work${FOREIGN:+,nosuid}" overlay /newroot || fail "cannot mount the overlay"
cd /newroot || fail "no root"
mount -t proc proc proc
mount -t sysfs sys sys
mount -t debugfs debug sys/kernel/debug
mount -t tracefs trace sys/kernel/tracing
mount -t devtmpfs dev dev
mkdir dev/pts dev/shm
mount -t devpts -o ptmxmode=666 devpts dev/pts
mount -t tmpfs tmpfs dev/shm
mount -t tmpfs -o mode=755 tmpfs run
[ -z "$FOREIGN" ] || mount -t tmpfs -o mode=700 tmpfs root
ln -s /proc/self/fd dev/fd
ln -s /proc/self/fd/0 dev/stdin
ln -s /proc/self/fd/1 dev/stdout
ln -s /proc/self/fd/2 dev/stderr
if [ -n "$MODULES" ]; then
	mkdir -p "lib/modules/${MODULES##*/}" && mount -o bind ".$MODULES" "lib/modules/${MODULES##*/}" || fail "cannot show the modules"
fi
for dir; do
	mkdir -p ".$dir" && mount -o bind "/host$dir" ".$dir" || fail "cannot make $dir writable"
done
[ $# -eq 0 ] || mount -o remount,bind,ro host /host || fail "cannot make the host's root read-only"
mv /command run/gostap-vm-command || fail "no command"
mount -o move . / || fail "cannot move the root"

hostname gostap-vm
ip link set lo up
echo 5 >proc/sys/kernel/printk # warnings, too: they belong into the report of a guest's death

# A port can be open only once, so the command gets FIFOs: /dev/stdout and the like then work as with a pipe.
mkfifo /stdin /stdout /stderr || fail "cannot make the streams"
cat /dev/vport0p1 >/stdin 2>/dev/null 3>&- &
cat /stdout >/dev/vport0p2 3>&- &
cat /stderr >/dev/vport0p3 3>&- &
exec 4>/stdout 5>/stderr
while read -r word group <&3; do
	case $word in
	alive) echo alive >&3 ;;
	forget) # 3, not 2: inodes that have cached pages are not forgotten before these
		echo 3 >proc/sys/vm/drop_caches
		echo forgotten >&3 ;;
	*) kill "-$word" "-$group" ;;
	esac
done 4>&- 5>&- &
control=$!

# In the foreground, because the shell has background commands ignore SIGINT.
env -i setsid chroot . /bin/sh /run/gostap-vm-command </stdin >&4 2>&5 4>&- 5>&-
status=$?

[ $# -eq 0 ] || sync
printf %s "$MARKER" >&4
printf %s "$MARKER" >&5
echo "exit $status" >&3
wait $control # until the host ends the VM
