// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * exchange tcp|udp|pieces|refuse|reset|overflow 4|6 PORT N SIZE: over the loopback device, N messages of
 * SIZE bytes from a client's socket to a server's at PORT, each received before
 * the next is sent; with "pieces" by TCP in two pieces, by writev(2) and readv(2). With "refuse" a client connects to a port without listener, with "reset" the server ends the connection by a reset, with "overflow" N
 * clients connect to a server that takes none of them.
 * Prints what it received: messages and bytes, and the client's port.
 */
#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

static int fail(const char *what)
{
	perror(what);
	return 1;
}

static socklen_t address(struct sockaddr_storage *to, int version, int port)
{
	struct sockaddr_in *v4 = (struct sockaddr_in *)to;
	struct sockaddr_in6 *v6 = (struct sockaddr_in6 *)to;

	memset(to, 0, sizeof(*to));
	if (version == 6) {
		v6->sin6_family = AF_INET6;
		v6->sin6_port = htons(port);
		v6->sin6_addr = in6addr_loopback;
		return sizeof(*v6);
	}
	v4->sin_family = AF_INET;
	v4->sin_port = htons(port);
	v4->sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	return sizeof(*v4);
}

/* The local port of a socket. */
static int port_of(int fd)
{
	struct sockaddr_storage own;
	socklen_t len = sizeof(own);

	getsockname(fd, (struct sockaddr *)&own, &len);
	return ntohs(((struct sockaddr_in *)&own)->sin_port);	/* the same offset in both versions */
}

int main(int argc, char **argv)
{
	const char *kind = argv[1];
	int version = atoi(argv[2]), tcp = strcmp(kind, "udp"), port = atoi(argv[3]);
	int n = argc > 4 ? atoi(argv[4]) : 0, size = argc > 5 ? atoi(argv[5]) : 0;
	int family = version == 6 ? AF_INET6 : AF_INET, type = tcp ? SOCK_STREAM : SOCK_DGRAM, one = 1;
	struct sockaddr_storage to;
	socklen_t len = address(&to, version, port);
	int server = socket(family, type, 0), client = socket(family, type, 0), from = server;
	char *message = calloc(1, size + 1);
	struct timeval second = { .tv_sec = 1 };
	long messages = 0, bytes = 0;
	int inpieces = !strcmp(kind, "pieces");

	if (server < 0 || client < 0)
		return fail("socket");
	if (!strcmp(kind, "refuse"))
		return connect(client, (struct sockaddr *)&to, len) != -1;
	setsockopt(server, SOL_SOCKET, SO_REUSEADDR, &one, sizeof(one));
	if (bind(server, (struct sockaddr *)&to, len))
		return fail("bind");
	if (tcp && listen(server, 1))
		return fail("listen");
	if (!strcmp(kind, "overflow")) {
		for (; n > 0; n--)
			connect(socket(family, type | SOCK_NONBLOCK, 0), (struct sockaddr *)&to, len);
		usleep(100000);
		return 0;
	}
	if (connect(client, (struct sockaddr *)&to, len))
		return fail("connect");
	if (tcp && (from = accept(server, NULL, NULL)) < 0)
		return fail("accept");
	if (tcp)
		setsockopt(client, IPPROTO_TCP, TCP_NODELAY, &one, sizeof(one));
	setsockopt(from, SOL_SOCKET, SO_RCVTIMEO, &second, sizeof(second));
	memset(message, 'm', size);
	for (int i = 0; i < n; i++) {
		ssize_t got;

		struct iovec pieces[2] = { { message, size / 2 }, { message + size / 2, size - size / 2 } };

		if ((inpieces ? writev(client, pieces, 2) : send(client, message, size, 0)) != size)
			return fail("send");
		got = inpieces ? readv(from, pieces, 2) : recv(from, message, size, tcp ? MSG_WAITALL : 0);
		if (got > 0) {
			messages++;
			bytes += got;
		}
	}
	if (!strcmp(kind, "reset"))
		setsockopt(from, SOL_SOCKET, SO_LINGER, &(struct linger){ .l_onoff = 1 }, sizeof(struct linger));
	printf("%s%d: %ld messages, %ld bytes from port %d\n", kind, version, messages, bytes, port_of(client));
	close(from);
	close(client);
	if (from != server)
		close(server);
	return 0;
}
