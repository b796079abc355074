/* Asks for known sizes out of known functions. */
#include <pthread.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

static inline __attribute__((always_inline)) void *inlined(size_t size)
{
    return malloc(size);
}

__attribute__((noinline)) void *middle(size_t size)
{
    void *volatile block = inlined(size);
    return block;
}

__attribute__((noinline)) void *outer(size_t size)
{
    volatile char room[300];
    room[size % 300] = 0;
    void *volatile block = middle(size + (size_t)room[size % 300]);
    return block;
}

__attribute__((noinline)) void *recursive(size_t size, int depth)
{
    void *volatile block = depth == 0 ? middle(size) : recursive(size, depth - 1);
    return block;
}

/* The first request of a thread. */
static void *first(void *nothing)
{
    void *volatile block = middle(1007);
    free(block);
    return nothing;
}

int main(void)
{
    free(outer(1001));
    free(middle(1002));
    free(recursive(1003, 2));
    void *volatile block = realloc(malloc(1), 1004);
    free(block);
    free(aligned_alloc(64, 1005));
    free(calloc(1, 1006));
    pthread_t thread;
    pthread_create(&thread, NULL, first, NULL);
    pthread_join(thread, NULL);
    if (fork() == 0) {
        free(middle(1008));
        _exit(0);
    }
    wait(NULL);
    return 0;
}
