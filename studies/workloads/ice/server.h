/* The server (turn.c) as a process that works in step with this one. */
#ifndef HEAPSCOPE_ICE_SERVER_H
#define HEAPSCOPE_ICE_SERVER_H

#include <stdbool.h>

typedef struct hs_server hs_server_t;

hs_server_t *hs_server_begin(const char *program, unsigned *port); /* NULL: it does not run */
/* All that it has to do now: how many events that was, negative when it is gone. */
int hs_server_work(hs_server_t *server);
void hs_server_end(hs_server_t *server);

#endif
