/* Closes all of its descriptors, goes on, forks, and signals itself while it allocates. */
#include <signal.h>
#include <stdlib.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

static volatile sig_atomic_t signals;

static void handler(int number)
{
    (void)number;
    signals = signals + 1;
}

static void *before;

__attribute__((constructor(101))) static void early(void)
{
    before = malloc(4242);
}

static void at_exit(void)
{
    free(malloc(777));
}

int main(void)
{
    atexit(at_exit);
    for (int i = 0; i < 1024; i++) {
        close(i);
    }
    signal(SIGALRM, handler);
    const struct itimerval often = {{0, 200}, {0, 200}};
    setitimer(ITIMER_REAL, &often, NULL);
    for (int i = 0; i < 100000; i++) {
        free(malloc((size_t)i % 100));
    }
    if (fork() == 0) {
        free(malloc(999));
        _exit(0);
    }
    while (wait(NULL) < 0 && signals >= 0) {
        if (signals > 100000) {
            break;
        }
    }
    free(before);
    return 0;
}
