/* The line between client and server: a pair of sockets, the server a process of its own. */
#ifndef HEAPSCOPE_WORKLOADS_TLS_LINE_H
#define HEAPSCOPE_WORKLOADS_TLS_LINE_H

#include <stddef.h>
#include <sys/types.h>

typedef struct hs_line {
    int fd;
    pid_t server;
} hs_line_t;

/* Starts `program KEYS NUMBER` with its end of the line as standard input. Returns 0 or -1. */
int hs_line_open(hs_line_t *line, const char *program, const char *keys, unsigned number);

/* Waits for the server's end; returns its exit code, or -1. */
int hs_line_close(hs_line_t *line);

/* The types that mbedTLS calls: `fd` points to the descriptor. Blocking, so that a receiver never
 * has to ask again and the order of all events is the same in each run. */
int hs_line_send(void *fd, const unsigned char *bytes, size_t count);
int hs_line_receive(void *fd, unsigned char *bytes, size_t count);

#endif
