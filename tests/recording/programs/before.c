/* before [fork]: has 101 blocks, and waits for SIGUSR1 twice; then it frees and resizes them. */
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#if defined(FILTER)
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>

static void filter(void)
{
    struct sock_filter all[] = {BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)};
    const struct sock_fprog program = {1, all};
    (void)prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
    (void)prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program);
}
#else
static void filter(void) {}
#endif

#if defined(OWN_MALLOC)
static char memory[1 << 20];
static size_t used;

__attribute__((visibility("default"))) void *malloc(size_t size)
{
    used = (used + 15) & ~(size_t)15;
    used += size;
    return memory + used - size;
}

__attribute__((visibility("default"))) void free(void *block)
{
    (void)block;
}
#endif

static volatile sig_atomic_t requested;

static void note(int number)
{
    (void)number;
    requested++;
}

int main(int count, char **arguments)
{
    static void *blocks[101];
    sigset_t held, none;
    (void)sigemptyset(&none);
    (void)sigemptyset(&held);
    (void)sigaddset(&held, SIGUSR1);
    (void)sigprocmask(SIG_BLOCK, &held, NULL);
    (void)signal(SIGUSR1, note);
    for (int i = 0; i < 101; i++) {
        blocks[i] = malloc(32 + (size_t)i);
    }
    static char buffer[4096];
    (void)setvbuf(stdout, buffer, _IOFBF, sizeof buffer);
    filter();
    puts("begun");
    (void)fflush(stdout);
    while (requested < 2) {
        (void)sigsuspend(&none);
    }
    blocks[0] = realloc(blocks[0], 5000);
    void *volatile more = malloc(777);
    for (int i = 1; i < 101; i++) {
        free(blocks[i]);
    }
    free(blocks[0]);
    if (count > 1) {
        if (fork() == 0) {
            free(more);
            free(malloc(10));
            _exit(0);
        }
        (void)wait(NULL);
    }
    return 0;
}
