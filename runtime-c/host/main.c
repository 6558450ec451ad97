// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * main.c - the script as a process:
 *
 *	script [-x PID] [-T SECONDS] [-G name=value]... 3>records
 *
 * runs its begin probes, then timers until exit(), an error, SIGINT, SIGTERM
 * or the end of SECONDS, then its end probes, or after an error its error
 * probes. Exits with 0 when all of that is written.
 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "host.h"

const gs_u64 *gs_symbols;
gs_s64 gs_target;
gs_s64 gs_starter;

static const char *const families[] = { "begin", "end", "error", "timer", "never" };

static void on_signal(int sig)
{
	(void)sig;
	gs_exit(&gs_ctx);
}

/* No SA_RESTART: sleeping ends with the signal. */
static void catch_signals(void)
{
	struct sigaction action = { .sa_handler = on_signal };

	sigaction(SIGINT, &action, NULL);
	sigaction(SIGTERM, &action, NULL);
	signal(SIGPIPE, SIG_IGN);
}

static void usage(const char *complaint, const char *arg)
{
	fprintf(stderr, "%s%s\nusage: script [-x PID] [-T SECONDS] [-G name=value]... 3>records\n", complaint, arg);
	exit(2);
}

/* Returns when the session is to end, on the clock of gs_now(). */
static gs_u64 parse_arguments(int argc, char **argv)
{
	gs_u64 deadline = ~0ull >> 1;
	int opt;

	while ((opt = getopt(argc, argv, "x:T:G:")) >= 0) {
		switch (opt) {
		case 'x':
			gs_target = atoll(optarg);
			break;
		case 'T':
			deadline = gs_now() + (gs_u64)(atof(optarg) * 1e9);
			break;
		case 'G':
			if (gs_set_global(optarg))
				usage("no such global, or no such value: ", optarg);
			break;
		default:
			usage("bad option", "");
		}
	}
	if (optind < argc)
		usage("unexpected argument: ", argv[optind]);
	return deadline;
}

static void count_unarmed(void)
{
	gs_u32 i, f;

	for (i = 0; i < gs_program.npoints; i++) {
		for (f = 0; f < sizeof(families) / sizeof(*families); f++)
			if (!strcmp(gs_program.points[i].family, families[f]))
				break;
		if (f == sizeof(families) / sizeof(*families)) {
			gs_session.unarmed++;
			gs_message(GS_MSG_WARNING, GS_LIT("the host runtime has no probes of this kind"), NULL,
				   gs_program.points[i].name);
		}
	}
}

static void allocate(void)
{
	static gs_u64 no_symbols[65536];
	gs_u32 cpu;
	int err;

	gs_stack_init();
	gs_symbols = no_symbols;
	/* Behind the frame, tokenize() keeps its string. */
	gs_ctx.frame = gs_alloc(gs_program.frame_size + MAXSTRINGLEN, -1);
	gs_ctx.frame_end = gs_ctx.frame + gs_program.frame_size;
	err = gs_ctx.frame ? gs_arrays_init() : -1;
	for (cpu = 0; !err && cpu < gs_ncpus(); cpu++)
		err = gs_arrays_init_cpu(cpu);
	if (err) {
		fprintf(stderr, "out of memory\n");
		exit(1);
	}
}

int main(int argc, char **argv)
{
	gs_u64 deadline = parse_arguments(argc, argv);

	gs_starter = getppid();
	allocate();
	catch_signals();
	gs_session.state = GS_STATE_STARTING;
	count_unarmed();
	gs_run_family("begin", 0);
	if (gs_running()) {
		gs_session.state = GS_STATE_RUNNING;
		gs_run_timers(deadline);
	}
	if (gs_session.state == GS_STATE_FAILED) {
		gs_run_family("error", 1);
	} else {
		gs_session.state = GS_STATE_EXITING;
		gs_run_family("end", 1);
		if (gs_session.state != GS_STATE_FAILED)
			gs_session.state = GS_STATE_STOPPED;
	}
	gs_write_views();
	gs_write_stats();
	gs_flush();
	gs_arrays_fini();
	gs_free(gs_ctx.frame);
	return 0;
}
