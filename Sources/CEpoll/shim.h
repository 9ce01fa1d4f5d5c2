#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>

// Declared here because <sys/socket.h> shows it only under _GNU_SOURCE, which the Glibc module is not built with.
int accept4(int descriptor, struct sockaddr *address, socklen_t *length, int flags);
