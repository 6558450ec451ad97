// SPDX-License-Identifier: GPL-2.0-or-later
// threads.c - threads that call libown.so, and libown-initial.so, which has its variables in the thread's first block:
// both are loaded while the program runs, from the program's folder.
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static __thread char room[100];
static long (*bump)(long);

static void *thread(void *arg)
{
	room[0] = 1;
	bump((long)arg);
	bump(1);
	return NULL;
}

int main(int argc, char **argv)
{
	static const char *const names[] = { "libown.so", "libown-initial.so" };
	int i;

	for (i = 0; i < 2; i++) {
		char path[4096];
		void *library;
		pthread_t t;

		snprintf(path, sizeof(path), "%s/%s", argv[1], names[i]);
		library = dlopen(path, RTLD_NOW);
		if (!library || !(bump = (long (*)(long))dlsym(library, "bump"))) {
			fprintf(stderr, "%s\n", dlerror());
			return 1;
		}
		thread((void *)1);
		pthread_create(&t, NULL, thread, (void *)100);
		pthread_join(t, NULL);
		thread((void *)1000);
	}
	return 0;
}
