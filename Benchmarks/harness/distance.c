/* A stretch of network between two programs of this machine: distance SOCKET MICROSECONDS
 *
 * Listens on a port of loopback, which it prints, and passes bytes to and from a Unix socket. All bytes are under way for the
 * same time in each direction, however many others are: what a distant server costs, and nothing else. So it is in C, on one
 * thread: in Python a round trip took a fifth of a millisecond of the processors on which the server and the database run, too. */

#define _GNU_SOURCE
#include <arpa/inet.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

enum { MOST_SOCKETS = 1024, MOST_BYTES = 1 << 18 };

/* Bytes under way to a socket; none when the other side has ended. */
struct parcel {
    long arrival;
    int target;
    ssize_t count;
    struct parcel *next;
    char bytes[];
};

static struct pollfd sockets[MOST_SOCKETS];
static int count, other[MOST_SOCKETS];

static long now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec * 1000000000L + time.tv_nsec;
}

static void need(int result, const char *what) {
    if (result >= 0) return;
    perror(what);
    exit(1);
}

static void watch(int socket, int partner) {
    need(count < MOST_SOCKETS ? 0 : -1, "too many sockets");
    other[count] = partner;
    sockets[count++] = (struct pollfd){.fd = socket, .events = POLLIN};
}

static void deliver(const struct parcel *parcel) {
    for (ssize_t sent = 0; sent < parcel->count;) {
        ssize_t result = send(parcel->target, parcel->bytes + sent, parcel->count - sent, MSG_NOSIGNAL);
        if (result < 0) return; /* It is closed already. */
        sent += result;
    }
    if (parcel->count <= 0) shutdown(parcel->target, SHUT_WR);
}

int main(int argc, char **argv) {
    struct sockaddr_un database = {.sun_family = AF_UNIX};
    if (argc != 3 || strlen(argv[1]) >= sizeof database.sun_path) return 2;
    strcpy(database.sun_path, argv[1]);
    long delay = atol(argv[2]) * 1000;
    /* The kernel wakes a sleeper up to 50 µs late unless it is told not to: a tenth of what is to be measured. */
    need(prctl(PR_SET_TIMERSLACK, 1), "prctl");

    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t size = sizeof address;
    int listener = socket(AF_INET, SOCK_STREAM, 0), yes = 1;
    need(bind(listener, (struct sockaddr *)&address, size), "bind");
    need(listen(listener, 200), "listen");
    need(getsockname(listener, (struct sockaddr *)&address, &size), "getsockname");
    printf("%d\n", ntohs(address.sin_port));
    fflush(stdout);
    watch(listener, -1);

    struct parcel *first = NULL, **end = &first;
    static char buffer[MOST_BYTES];
    for (;;) {
        long wait = first == NULL ? 0 : first->arrival - now();
        struct timespec time = {.tv_nsec = wait > 0 ? wait : 0};
        need(ppoll(sockets, count, first == NULL ? NULL : &time, NULL), "ppoll");
        if (sockets[0].revents) {
            int client = accept(listener, NULL, NULL), server = socket(AF_UNIX, SOCK_STREAM, 0);
            need(setsockopt(client, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes), "setsockopt");
            need(connect(server, (struct sockaddr *)&database, sizeof database), "connect");
            watch(client, server);
            watch(server, client);
        }
        for (int index = 1; index < count; index++) {
            if (!sockets[index].revents) continue;
            ssize_t got = recv(sockets[index].fd, buffer, sizeof buffer, 0);
            struct parcel *parcel = malloc(sizeof *parcel + (got > 0 ? got : 0));
            *parcel = (struct parcel){.arrival = now() + delay, .target = other[index], .count = got};
            if (got > 0) memcpy(parcel->bytes, buffer, got);
            else sockets[index].fd = -1; /* It is no longer polled, and the program ends soon. */
            *end = parcel;
            end = &parcel->next;
        }
        while (first != NULL && first->arrival <= now()) {
            struct parcel *parcel = first;
            first = parcel->next;
            if (first == NULL) end = &first;
            deliver(parcel);
            free(parcel);
        }
    }
}
