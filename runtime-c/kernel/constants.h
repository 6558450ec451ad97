/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * constants.h - the headers of constants that scripts name by @const and in
 * C expressions without including anything, because SystemTap's runtime and
 * tapsets include them. platform.h comes before it.
 */
#ifndef GS_CONSTANTS_H
#define GS_CONSTANTS_H

#include <linux/blk_types.h>
#include <linux/dcache.h>
#include <linux/fs.h>
#include <linux/futex.h>
#include <linux/if_ether.h>
#include <linux/in.h>
#include <linux/interrupt.h>
#include <linux/mman.h>
#include <linux/mount.h>
#include <linux/net.h>
#include <linux/netfilter.h>
#include <linux/poll.h>
#include <net/tcp_states.h>
#include <uapi/linux/mount.h>

#endif
