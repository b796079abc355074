/* chain HOW FIRST SECOND ...: allocates its word size times 1000 and runs the next program of the
 * list in its place, with an empty environment. */
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

int main(int count, char **arguments)
{
    char *none[] = {NULL};
    void *volatile block = malloc(sizeof(void *) * 1000);
    if (count < 3) {
        free(block);
        return 5;
    }
    char **next = arguments + 2;
    char *const how = arguments[1];
    next[-1] = next[0]; /* its name; then how, then the rest */
    arguments[2] = how;
    if (strcmp(how, "exec") == 0) {
        execve(arguments[1], arguments + 1, none);
    } else if (strcmp(how, "list") == 0) {
        execl(arguments[1], arguments[1], how, arguments[3], arguments[3] ? arguments[4] : NULL,
              NULL);
    } else if (strcmp(how, "vfork") == 0) {
        const pid_t pid = vfork();
        if (pid == 0) {
            execve(arguments[1], arguments + 1, none);
            _exit(9);
        }
        int status = 0;
        waitpid(pid, &status, 0);
        return WEXITSTATUS(status);
    } else {
        pid_t pid = 0;
        int status = 0;
        if (posix_spawn(&pid, arguments[1], NULL, NULL, arguments + 1, none) == 0) {
            waitpid(pid, &status, 0);
            return WEXITSTATUS(status);
        }
    }
    return 9;
}
