#include "line.h"

#include <errno.h>
#include <stdio.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "mbedtls/ssl.h"

static void become_server(int fd, const char *program, const char *keys, const char *number)
{
    if (dup2(fd, STDIN_FILENO) == STDIN_FILENO) {
        execl(program, program, keys, number, (char *)NULL);
    }
    _exit(127);
}

int hs_line_open(hs_line_t *line, const char *program, const char *keys, unsigned number)
{
    int ends[2];
    char text[16];
    snprintf(text, sizeof text, "%u", number);
    if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends) != 0) {
        return -1;
    }
    line->server = fork();
    if (line->server == 0) {
        close(ends[0]);
        become_server(ends[1], program, keys, text);
    }
    close(ends[1]);
    line->fd = ends[0];
    return line->server < 0 ? -1 : 0;
}

int hs_line_close(hs_line_t *line)
{
    close(line->fd);
    int status;
    if (waitpid(line->server, &status, 0) != line->server || !WIFEXITED(status)) {
        return -1;
    }
    return WEXITSTATUS(status);
}

int hs_line_send(void *fd, const unsigned char *bytes, size_t count)
{
    ssize_t sent = send(*(const int *)fd, bytes, count, MSG_NOSIGNAL);
    return sent < 0 ? MBEDTLS_ERR_SSL_INTERNAL_ERROR : (int)sent;
}

int hs_line_receive(void *fd, unsigned char *bytes, size_t count)
{
    ssize_t got;
    do { /* until no signal interrupts */
        got = read(*(const int *)fd, bytes, count);
    } while (got < 0 && errno == EINTR);
    return got < 0 ? MBEDTLS_ERR_SSL_INTERNAL_ERROR : (int)got;
}
