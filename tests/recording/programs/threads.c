/* Threads that hand each other blocks: what one allocates another reallocs and a third frees.
 * They begin at once: the program's first calls come from all of them.
 * threads COUNT ROUNDS */
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#define PLACES 64

static _Atomic(void *) shared[PLACES];
static long rounds;
static pthread_barrier_t all_there;

static void *work(void *argument)
{
    uint32_t seed = (uint32_t)(uintptr_t)argument * 2654435761u + 1u;
    pthread_barrier_wait(&all_there);
    for (long i = 0; i < rounds; i++) {
        seed = seed * 1664525u + 1013904223u;
        const size_t size = 1u + (seed >> 8 & 0x3FFu);
        void *block = atomic_exchange(&shared[seed >> 26], NULL);
        switch (seed >> 20 & 3u) {
        case 0:
            free(block);
            block = malloc(size);
            break;
        case 1:
            block = realloc(block, size);
            break;
        case 2:
            free(block);
            block = calloc(size, 3);
            break;
        default:
            free(block);
            if (posix_memalign(&block, 64, size) != 0) {
                block = NULL;
            }
            break;
        }
        free(atomic_exchange(&shared[seed >> 14 & (PLACES - 1)], block));
    }
    return NULL;
}

int main(int count, char **arguments)
{
    pthread_t threads[64];
    const int number = count > 1 ? atoi(arguments[1]) : 4;
    rounds = count > 2 ? atol(arguments[2]) : 1000;
    pthread_barrier_init(&all_there, NULL, (unsigned)number);
    for (int i = 0; i < number; i++) {
        char name[16];
        pthread_create(&threads[i], NULL, work, (void *)(uintptr_t)(i + 1));
        snprintf(name, sizeof name, "worker %d", i % 3);
        pthread_setname_np(threads[i], name);
    }
    for (int i = 0; i < number; i++) {
        pthread_join(threads[i], NULL);
    }
    for (int i = 0; i < PLACES; i++) {
        free(atomic_load(&shared[i]));
    }
    return 0;
}
