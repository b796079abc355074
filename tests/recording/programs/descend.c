/* descend HOW: processes that fork before they ask their heap. Each that asks it frees what it
 * inherited, and asks for 77 bytes. */
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static void *volatile block;

static void ask(void)
{
    free(block);
    free(malloc(77));
}

static void finish(void)
{
    while (wait(NULL) > 0) {
    }
    _exit(0);
}

/* A copy without any of the C library's fork handlers. */
static pid_t copy(void)
{
    return (pid_t)syscall(SYS_clone, SIGCHLD, NULL, NULL, NULL, NULL);
}

int main(int count, char **arguments)
{
    const char *how = arguments[1];
    char *const nothing[] = {"true", NULL};
    block = malloc(111);
    if (strcmp(how, "chain") == 0) { /* of three */
        if (fork() == 0) {
            if (fork() == 0) {
                if (fork() == 0) {
                    ask();
                }
            }
            finish();
        }
    } else if (strcmp(how, "daemon") == 0) {
        if (fork() != 0) {
            _exit(0);
        }
        (void)setsid();
        if (fork() != 0) {
            _exit(0);
        }
        usleep(50000); /* until its parents are gone */
        ask();
        if (fork() == 0) { /* a worker, which has what its parent has now: nothing */
            free(malloc(77));
        }
        finish();
    } else if (strcmp(how, "siblings") == 0) { /* and their parent, which asks last */
        if (fork() == 0) {
            for (int i = 0; i < 3; i++) {
                if (fork() == 0) {
                    ask();
                    _exit(0);
                }
            }
            while (wait(NULL) > 0) {
            }
            ask();
            _exit(0);
        }
    } else if (strcmp(how, "vfork") == 0) {
        if (fork() == 0) {
            if (vfork() == 0) {
                (void)execv("/bin/true", nothing);
                _exit(1);
            }
            if (fork() == 0) {
                if (vfork() == 0) {
                    (void)execv("/bin/true", nothing);
                    _exit(1);
                }
                ask();
            }
            finish();
        }
    } else if (strcmp(how, "again") == 0) { /* it asks, and what its child then has is another */
        if (fork() == 0) {
            if (fork() == 0) {
                ask();
                block = malloc(222);
                if (fork() == 0) {
                    ask();
                }
            }
            finish();
        }
    } else if (strcmp(how, "clone") == 0) { /* nobody sees it: what it inherits is not known */
        if (copy() == 0) {
            ask();
            _exit(0);
        }
    } else if (strcmp(how, "clones") == 0) {
        if (fork() == 0) {
            if (copy() == 0) {
                ask();
                _exit(0);
            }
            finish();
        }
    }
    while (wait(NULL) > 0) {
    }
    free(block);
    return 0;
}
