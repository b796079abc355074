/*
 * Threads in the place of cores: emulation/cores.c on the POSIX port, for ThreadSanitizer.
 *
 *     region_threads LEVEL OWNERS SEED ROUNDS
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "cores.h"

static _Thread_local uint32_t self;
static uint32_t seed, rounds;
static uint32_t wrong[CORES_MAX];

uint32_t cores_self(void)
{
    return self;
}

static void *work(void *context)
{
    self = (uint32_t)(uintptr_t)context;
    wrong[self] = cores_work(self, seed + 977u * self, rounds);
    return NULL;
}

int main(int count, char **argument)
{
    if (count != 5) {
        return 2;
    }
    seed = (uint32_t)strtoul(argument[3], NULL, 10);
    rounds = (uint32_t)strtoul(argument[4], NULL, 10);
    if (!cores_prepare((uint32_t)atoi(argument[1]), (uint32_t)atoi(argument[2]))) {
        return 2;
    }
    (void)alarm(100); /* a deadlock ends here */
    pthread_t threads[CORES_MAX];
    for (uintptr_t i = 0; i < CORES_MAX; i++) {
        if (pthread_create(&threads[i], NULL, work, (void *)i) != 0) {
            return 2;
        }
    }
    uint32_t sum = 0;
    for (uint32_t i = 0; i < CORES_MAX; i++) {
        (void)pthread_join(threads[i], NULL);
        sum += wrong[i];
    }
    const uint32_t left = cores_verify();
    printf("wrong %u, at the end %u\n", (unsigned)sum, (unsigned)left);
    return sum == 0 && left == 0 ? 0 : 1;
}
