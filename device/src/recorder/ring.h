/* The ring of a core: raw records, written by the hooks of that core and read by the drain. Private. */
#ifndef HEAPSCOPE_RECORDER_RING_H
#define HEAPSCOPE_RECORDER_RING_H

#include "heapscope/recorder.h"
#include "heapscope/recorder_port.h"

/* Words of a record. */
enum {
    HS_RAW_HEAD = 0, /* number in the order << 8 | interrupt << 7 | kind */
    HS_RAW_TIME = 1,
    HS_RAW_ADDRESS = 2, /* block; MARK: name; TASK_*: handle; POOL_*: number */
    HS_RAW_SIZE = 3,
    HS_RAW_TASK = 4, /* handle of who called */
    HS_RAW_CAPS = 5,
    HS_RAW_OTHER = 6, /* REALLOC: the block before; ALIGNED: log2; FAILED: call | log2 << 8;
                           POOL_CREATE: increment */
    HS_RAW_CALLER = 7 /* the first of them */
};

#define HS_RAW_KIND 0x7Fu
#define HS_RAW_INTERRUPT 0x80u
#define HS_RAW_NUMBER_SHIFT 8u
#define HS_RAW_NUMBERS 0x00FFFFFFu /* numbers are distinguished modulo this + 1 */
#define HS_RAW_NAME_BYTES 15u /* of a TASK_START's name, from HS_RAW_SIZE on with its length 0 */

/* A kind that a record gets when the drain has counted it as half of a pair. */
#define HS_RAW_CANCELLED 0x7Fu

#define HS_MISSING_KINDS (HS_EVENT_FAILED + 1u) /* 0: anything but a heap event */

/* Events dropped since the start; the drain reports the increase. */
typedef struct hs_missing {
    uint32_t events[HS_MISSING_KINDS];
    uint32_t bytes[HS_MISSING_KINDS];
} hs_missing_t;

/* A mark's HS_RAW_OTHER: a name is not looked for at an address that a reset has damaged. */
static inline uintptr_t hs_raw_check(uintptr_t name)
{
    return ~name;
}

typedef struct hs_ring {
    uint32_t head;   /* records written, ever */
    uint32_t tail;   /* records given back, ever */
    uint32_t mask;   /* places - 1 */
    uint32_t missed; /* changes with `missing` */
    uint32_t full;   /* events that found no place; the others were left out */
    uintptr_t *places;
    hs_missing_t missing;
} hs_ring_t;

/* Whether a record's call stack is this one. */
static inline bool hs_callers_same(const hs_callers_t *callers, const uintptr_t *of_record)
{
    for (unsigned i = 0; i < HS_RECORDER_CALLERS; i++) {
        if (callers->at[i] != of_record[i]) {
            return false;
        }
    }
    return true;
}

static inline uintptr_t *hs_ring_record(const hs_ring_t *ring, uint32_t position)
{
    return ring->places + (position & ring->mask) * HS_RECORDER_RECORD_WORDS;
}

#endif
