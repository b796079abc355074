/* A device for tests: a heap that is a table of addresses, and a recorder on it. */
#ifndef HS_TESTS_RECORDER_DEVICE_H
#define HS_TESTS_RECORDER_DEVICE_H

#include "../format/check.h"
#include "heapscope/recorder.h"

#define DEVICE_BLOCKS 512u
#define DEVICE_BASE 0x3FFB0000u
#define DEVICE_STEP 0x100u /* between addresses */

typedef struct device {
    check_random_t *random;
    hs_recorder_t *recorder;
    uint32_t sizes[DEVICE_BLOCKS]; /* of live blocks, by number of the address; 0: none */
    uint64_t issued;               /* heap events */
    uint64_t failed;
    bool busy_walks; /* the program goes on within a walk */
} device_t;

/* The address that stands for a number. */
static inline uintptr_t device_address(uint32_t number)
{
    return DEVICE_BASE + (uintptr_t)number * DEVICE_STEP;
}

/* One random event of the program. */
void device_step(device_t *device);

/* The walk for a recorder's configuration, whose context is the device. */
size_t device_walk(device_t *device, uintptr_t after, hs_recorder_block_t *out, size_t capacity);

#endif
