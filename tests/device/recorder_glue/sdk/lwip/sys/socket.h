#ifndef TESTS_SYS_SOCKET_H
#define TESTS_SYS_SOCKET_H
#include <stddef.h>
#include <stdint.h>
typedef int ssize_t;
#define MSG_DONTWAIT 0x08
#define MSG_NOSIGNAL 0x20
ssize_t send(int s, const void *data, size_t size, int flags);
#endif
