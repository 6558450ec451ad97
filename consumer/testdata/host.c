// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * host.c - plays a program of the host runtime: host_test.go names in GOSTAP_TEST_HOST
 * what is to happen.
 */
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "protocol.h"

static unsigned long long written;
static volatile sig_atomic_t stopped;

static void stop(int sig)
{
	stopped = sig;
}

/* Writes a record; parts of payload are concatenated. 0 if nobody reads. */
static int record(int kind, const void *payload, unsigned int len)
{
	char buffer[8192] = { 0 };
	struct gs_record r = { .len = sizeof(r) + len, .kind = kind, .point = 0xffff, .time = written++ };

	memcpy(buffer, &r, sizeof(r));
	memcpy(buffer + sizeof(r), payload, len);
	return write(3, buffer, (r.len + 7) & ~7u) > 0;
}

static void text(const char *s)
{
	record(GS_REC_TEXT, s, strlen(s));
}

static void message(unsigned int kind, const char *what, const char *near, const char *point)
{
	const char *strings[] = { what, near, point };
	char payload[512], *p = payload + 4;

	memcpy(payload, &kind, 4);
	for (int i = 0; i < 3; i++) {
		unsigned short len = strlen(strings[i]);

		memcpy(p, &len, 2);
		memcpy(p + 2, strings[i], len);
		p += 2 + len;
	}
	record(GS_REC_MESSAGE, payload, p - payload);
}

static void wait_for_stop(void)
{
	while (!stopped)
		usleep(1000);
}

int main(int argc, char **argv)
{
	const char *scenario = getenv("GOSTAP_TEST_HOST");
	struct {
		unsigned int state, unarmed;
		unsigned long long errors, lost, written, skipped[GS_NSKIP];
	} stats = { .errors = 1, .skipped = { 0, 2 } };
	char arguments[256] = "";

	signal(SIGINT, stop);
	signal(SIGPIPE, SIG_IGN);
	for (int i = 1; i < argc; i++)
		strcat(strcat(arguments, argv[i]), i + 1 < argc ? " " : "");
	text(strcat(arguments, "\n"));
	if (!strcmp(scenario, "exit")) {
		record(GS_REC_PRINT, "\0\0\0\0\3\0bye\1\0\0\0\0\0\0\0", 17);
		message(GS_MSG_EXIT, "", "", "");
		wait_for_stop();
	} else if (!strcmp(scenario, "error")) {
		message(GS_MSG_ERROR, "division by 0", "near operator '/' at x.stp:3:5", "begin");
	} else if (!strcmp(scenario, "wait")) {
		wait_for_stop();
		text("end\n");
	} else if (!strcmp(scenario, "crash")) {
		return 3;
	} else if (!strcmp(scenario, "hang")) {
		sleep(60);
		sleep(60);
	} else if (!strcmp(scenario, "flood")) {
		char flood[6000];

		for (unsigned int i = 0; i < sizeof(flood); i++)
			flood[i] = "flood\n"[i % 6];
		while (record(GS_REC_TEXT, flood, sizeof(flood)))
			;
		return 0;
	}
	stats.written = written;
	record(GS_REC_STATS, &stats, sizeof(stats));
	return 0;
}
