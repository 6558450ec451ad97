// SPDX-License-Identifier: GPL-2.0-or-later
// threads.c - threads that call libraries such as libown.so, which are loaded while the program runs.
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>

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
	int i;

	for (i = 1; i < argc; i++) {
		void *library = dlopen(argv[i], RTLD_NOW);
		pthread_t t;

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
