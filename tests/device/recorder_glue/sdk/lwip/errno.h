/* This and its neighbours stand in for lwIP's sockets behind newlib's names, as ESP-IDF and lwIP's own port
 * have them. */
#ifndef TESTS_ERRNO_H
#define TESTS_ERRNO_H
extern int errno;
#define EAGAIN 11
#define EWOULDBLOCK EAGAIN
#define ENOMEM 12
#define ENOBUFS 105
#endif
