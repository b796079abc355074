#include "sampler.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "heapscope/regions.h"
#include "memory.h"
#include "small_kernel.h"

#define PERIOD 10u /* ticks */
#define WAITING 16u
#define KINDS 64u
#define HISTORY 15800u /* bytes */

typedef struct sample {
    uint32_t count;
    uint32_t values[];
} sample_t;

static void *slots[WAITING];
static kernel_mailbox_t samples = {.slots = slots, .size = WAITING};
static uint32_t *counts; /* in memory of words alone */
static uint32_t ticks, lost;
static bool started;

void sampler_on_tick(void)
{
    if (!started || ++ticks % PERIOD != 0) {
        return;
    }
    const uint32_t count = 4 + ticks / PERIOD % 29;
    sample_t *const sample =
        memory_take(sizeof(sample_t) + count * sizeof(uint32_t), HS_CAP_DMA | HS_CAP_8BIT);
    if (sample == NULL) {
        lost++;
        return;
    }
    sample->count = count;
    for (uint32_t i = 0; i < count; i++) {
        sample->values[i] = ticks * 2654435761u + i;
    }
    if (!kernel_post(&samples, sample)) {
        lost++;
        free(sample);
    }
}

static void count_samples(void *unused)
{
    (void)unused;
    void *message;
    while (kernel_fetch(&samples, &message, KERNEL_FOREVER)) {
        sample_t *const sample = message;
        for (uint32_t i = 0; i < sample->count; i++) {
            counts[sample->values[i] % KINDS]++;
        }
        free(sample);
        kernel_sleep(PERIOD * 5 / 2); /* so that samples wait */
    }
}

bool sampler_start(void)
{
    counts = memory_take(KINDS * sizeof *counts, HS_CAP_EXEC | HS_CAP_32BIT);
    if (counts == NULL || !kernel_create("sampler", count_samples, NULL, 5, 2048)) {
        return false;
    }
    for (uint32_t i = 0; i < KINDS; i++) {
        counts[i] = 0;
    }
    started = true;
    return true;
}

void sampler_keep_history(void)
{
    void *const history = memory_take(HISTORY, HS_CAP_EXEC | HS_CAP_32BIT);
    if (history == NULL) {
        printf("sampler: no room for a history of %u bytes\n", (unsigned)HISTORY);
    }
    free(history);
}
