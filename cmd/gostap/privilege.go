// SPDX-License-Identifier: GPL-2.0-or-later

package main

import "github.com/pkg/errors"

// A script is built for a privilege of users: stapdev by default; a lower one allows less.

// privilege is stapusr, stapsys or stapdev.
func (o *options) privilege() string {
	switch {
	case o.peer.unprivileged:
		return "stapusr"
	case o.peer.privilege != "":
		return o.peer.privilege
	}
	return "stapdev"
}

// unprivileged reports whether the script may look into its user's own processes alone.
func (o *options) unprivileged() bool { return o.privilege() == "stapusr" }

// checkPrivilege refuses unknown privileges, and guru mode without that of stapdev.
func (o *options) checkPrivilege() error {
	switch p := o.privilege(); {
	case o.peer.unprivileged && o.peer.privilege != "":
		return stapRefusal("Privilege level may be set only once.")
	case p != "stapusr" && p != "stapsys" && p != "stapdev":
		return errors.Errorf("--privilege=%s: stapusr, stapsys or stapdev", p)
	case o.guru && p != "stapdev":
		return errors.Errorf("You can't specify -g and --privilege=%s together.", p)
	}
	return nil
}
