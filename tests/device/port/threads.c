/*
 * Threads on the POSIX port, for ThreadSanitizer: the malloc family, and regions with the port's lock.
 * One thread frees the blocks that another one allocated.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../libc/names.h"
#include "heapscope/port.h"
#include "heapscope/regions.h"
#include "heapscope_libc.h"

#define THREADS 4
#define ROUNDS 3000
#define MAILBOXES 16

static uint64_t memory[2][4096];
static hs_regions_t *set;
/* Blocks on their way from a thread to another: of the family, and of the set. */
static _Atomic(void *) mailbox[2][MAILBOXES];

static void drop(int kind, void *block)
{
    if (kind == 0) {
        my_free(block);
    } else if (hs_regions_free(set, block) != HS_OK) {
        abort();
    }
}

static void *take(int kind, size_t size)
{
    return kind == 0 ? my_malloc(size) : hs_regions_malloc(set, size, HS_CAP_8BIT);
}

static void *grow(int kind, void *block, size_t size)
{
    void *const moved =
        kind == 0 ? my_realloc(block, size) : hs_regions_realloc(set, block, size, HS_CAP_8BIT);
    return moved != NULL ? moved : block;
}

static void *work(void *context)
{
    uint32_t random = (uint32_t)(uintptr_t)context * 2654435761u + 1;
    for (int i = 0; i < ROUNDS; i++) {
        random = random * 1664525u + 1013904223u;
        const int kind = random >> 31;
        const size_t size = 1 + (random >> 8) % 300;
        unsigned char *block = take(kind, size);
        if (block != NULL) {
            memset(block, (int)size, size);
            block = grow(kind, block, size + 100);
            if (block[0] != (unsigned char)size || block[size - 1] != (unsigned char)size) {
                abort();
            }
        }
        void *const other =
            atomic_exchange(&mailbox[kind][(random >> 20) % MAILBOXES], (void *)block);
        drop(kind, other);
    }
    return NULL;
}

int main(void)
{
    static const hs_memory_t ram = {.name = "ram", .caps = {HS_CAP_8BIT}};
    static const hs_regions_config_t config = {.lock = hs_port_lock_region,
                                               .unlock = hs_port_unlock_region};
    const hs_region_t table[] = {{.memory = &ram, .start = memory[0], .size = sizeof memory[0]},
                                 {.memory = &ram, .start = memory[1], .size = sizeof memory[1]}};
    set = hs_regions_create(table, 2, &config, NULL, 0);
    const size_t before = hs_libc_free_size();
    const size_t set_before = hs_regions_free_size(set, 0);
    pthread_t threads[THREADS];
    for (uintptr_t i = 0; i < THREADS; i++) {
        if (pthread_create(&threads[i], NULL, work, (void *)i) != 0) {
            return 2;
        }
    }
    for (int i = 0; i < THREADS; i++) {
        (void)pthread_join(threads[i], NULL);
    }
    for (int kind = 0; kind < 2; kind++) {
        for (int i = 0; i < MAILBOXES; i++) {
            drop(kind, mailbox[kind][i]);
        }
    }
    const bool whole = hs_libc_check(NULL) == HS_OK && hs_regions_check(set, 0) == HS_OK;
    const bool back = hs_libc_free_size() == before && hs_regions_free_size(set, 0) == set_before;
    printf("whole %d, all back %d\n", whole, back);
    return whole && back ? 0 : 1;
}
