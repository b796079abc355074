/* A record that comes too late: a thread takes its number, finds the ring full as the recorder is
 * stopped, and is held there by a signal handler; another thread fills the ring again behind it and
 * waits until the recorder gives that one record up. */
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#define CALLS 200000

static atomic_int held, done;
static char status[64]; /* the file that tells the state of the main thread */

static void handler(int number)
{
    (void)number;
    atomic_store(&held, 1);
    while (atomic_load(&done) == 0) {
        usleep(1000);
    }
}

static int sleeps(void)
{
    char text[256] = {0};
    const int file = open(status, O_RDONLY);
    const long count = read(file, text, sizeof text - 1);
    close(file);
    const char *end = count > 0 ? strrchr(text, ')') : NULL;
    return end != NULL && end[2] == 'S';
}

static void *other(void *main_thread)
{
    while (!sleeps()) { /* it does so only where it finds no room */
        usleep(1000);
    }
    pthread_kill(*(pthread_t *)main_thread, SIGUSR1);
    while (atomic_load(&held) == 0) {
        usleep(1000);
    }
    kill(getppid(), SIGCONT);
    for (int i = 0; i < CALLS; i++) {
        free(malloc(10));
    }
    atomic_store(&done, 1);
    return NULL;
}

int main(void)
{
    pthread_t self = pthread_self(), thread;
    snprintf(status, sizeof status, "/proc/self/task/%ld/stat", (long)syscall(SYS_gettid));
    signal(SIGUSR1, handler);
    kill(getppid(), SIGSTOP);
    pthread_create(&thread, NULL, other, &self);
    for (int i = 0; i < CALLS; i++) {
        free(malloc(20));
    }
    pthread_join(thread, NULL);
    return 0;
}
