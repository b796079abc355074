#include "server.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "link.h"

struct hs_server {
    FILE *to, *from;
    pid_t process;
};

static void become(const char *program, int in[2], int out[2])
{
    dup2(in[0], STDIN_FILENO);
    dup2(out[1], STDOUT_FILENO);
    for (int i = 0; i < 2; i++) {
        close(in[i]);
        close(out[i]);
    }
    execl(program, program, (char *)NULL);
    _exit(127);
}

hs_server_t *hs_server_begin(const char *program, unsigned *port)
{
    int in[2], out[2];
    hs_server_t *server = calloc(1, sizeof *server);
    if (server == NULL || pipe(in) != 0 || pipe(out) != 0) {
        free(server);
        return NULL;
    }
    server->process = fork();
    if (server->process == 0) {
        become(program, in, out);
    }
    close(in[0]);
    close(out[1]);
    server->to = fdopen(in[1], "w");
    server->from = fdopen(out[0], "r");
    if (fscanf(server->from, "%u", port) != 1) {
        hs_server_end(server);
        return NULL;
    }
    return server;
}

int hs_server_work(hs_server_t *server)
{
    int events;
    fprintf(server->to, "%" PRIu64 "\n", hs_link_now());
    fflush(server->to);
    return fscanf(server->from, "%d", &events) == 1 ? events : -1;
}

void hs_server_end(hs_server_t *server)
{
    fclose(server->to); /* the end of its input is the end of it */
    fclose(server->from);
    waitpid(server->process, NULL, 0);
    free(server);
}
