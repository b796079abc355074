/*
 * Sinks into sockets, of lwIP or of POSIX. UDP: a chunk is a datagram. TCP: a stream; after it broke,
 * `handle` is -1 until you connect anew. Both take what fits now and never wait.
 *
 *   static hs_recorder_socket_t line = {.handle = -1};
 *   line.handle = socket(...); connect(line.handle, ...);       UDP, too
 *   config.write = hs_recorder_tcp_write; config.context = &line;
 *
 * A network stack asks the heap for each packet, and these requests are recorded, too: a filter by task
 * leaves them out.
 */
#ifndef HEAPSCOPE_SINK_SOCKET_H
#define HEAPSCOPE_SINK_SOCKET_H

#include <errno.h>
#include <sys/socket.h>
#include <unistd.h>

#include "heapscope/recorder.h"

#ifndef MSG_NOSIGNAL
#define MSG_NOSIGNAL 0
#endif

typedef struct hs_recorder_socket {
    int handle; /* -1: none */
} hs_recorder_socket_t;

/* Whether the socket takes more later. */
static inline bool hs_recorder_socket_is_full(void)
{
    return errno == EAGAIN || errno == EWOULDBLOCK || errno == ENOMEM || errno == ENOBUFS;
}

/* hs_recorder_write_t. Nobody who listens: the line is cut. */
static inline size_t hs_recorder_udp_write(void *context, const uint8_t *bytes, size_t count)
{
    const hs_recorder_socket_t *line = (const hs_recorder_socket_t *)context;
    const ssize_t sent =
        line->handle < 0 ? -1 : send(line->handle, bytes, count, MSG_DONTWAIT | MSG_NOSIGNAL);
    if (sent >= 0) {
        return (size_t)sent == count ? count : HS_SINK_BROKEN;
    }
    return line->handle >= 0 && hs_recorder_socket_is_full() ? 0 : HS_SINK_BROKEN;
}

/* hs_recorder_write_t. */
static inline size_t hs_recorder_tcp_write(void *context, const uint8_t *bytes, size_t count)
{
    hs_recorder_socket_t *line = (hs_recorder_socket_t *)context;
    if (line->handle < 0) {
        return HS_SINK_BROKEN;
    }
    const ssize_t sent = send(line->handle, bytes, count, MSG_DONTWAIT | MSG_NOSIGNAL);
    if (sent >= 0) {
        return (size_t)sent;
    }
    if (hs_recorder_socket_is_full()) {
        return 0;
    }
    (void)close(line->handle);
    line->handle = -1;
    return HS_SINK_BROKEN;
}

#endif
