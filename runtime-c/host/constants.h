/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * constants.h - the headers of the C library for constants that scripts name by @const.
 */
#ifndef GS_CONSTANTS_H
#define GS_CONSTANTS_H

#include <fcntl.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/stat.h>

#endif
