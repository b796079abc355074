/* All that a listener to a device has heard: the recording under way, its losses, and the live blocks. */
#ifndef HEAPSCOPE_ROWS_LISTEN_H
#define HEAPSCOPE_ROWS_LISTEN_H

#include <stdint.h>

/* cffi: begin */
#define HS_LAB_LISTENED_REGIONS 32
#define HS_LAB_LISTENED_KINDS 7 /* of a LOST_KIND record, format/SPEC.md: 0 is anything else */

typedef struct hs_lab_listened {
    /* These are of the whole stream. */
    uint64_t recordings;     /* that began before this one */
    uint64_t text_bytes;     /* of the device's log */
    uint64_t damaged_bytes;  /* of chunks whose checksum is wrong */
    uint64_t damaged_chunks; /* headers of such chunks */
    uint64_t late_chunks;    /* of the boot before, left aside */
    /* These are of this recording. */
    uint64_t allocations, reallocations, frees, failures, marks;
    uint64_t asked;                        /* bytes of all allocations and reallocations */
    uint64_t live, live_blocks, live_peak; /* bytes; 0 while they are not known */
    uint64_t snapshots, voids, corrections, unknown_frees, overlaps, pairs, overflows;
    uint64_t first_time, last_time;
    uint64_t lost[7], lost_bytes[7]; /* as LOST tells, by kind; 0: of no kind that it tells */
    uint64_t left_out;               /* of these, by a level or filter */
    /* Bytes of its chunks before its last whole snapshot, and before the last that began; 0: none. */
    uint64_t snapshot_at, snapshot_begun_at;
    uint32_t known; /* 1: the live blocks are known */
    uint32_t level, sampling, filtered;
    uint32_t over; /* 1: another recording begins with the next chunk */
} hs_lab_listened_t;

#define HS_LAB_NOTICE_BEGIN 0 /* a recording begins */
#define HS_LAB_NOTICE_FAILED 1
#define HS_LAB_NOTICE_LOST 2
#define HS_LAB_NOTICE_MARK 3

/* Something that is reported at once, in the order of the stream. */
typedef struct hs_lab_notice {
    uint64_t text;  /* `text_bytes` before it */
    uint64_t count; /* equal failed requests, one behind the other; events that are lost; else 1 */
    uint64_t size;  /* of the failed request */
    uint32_t kind, task, site;
    uint32_t mark; /* index of its name */
} hs_lab_notice_t;

/* A region as the recording tells it. HS_LAB_NEVER: not told. */
typedef struct hs_lab_listened_region {
    uint64_t start, size;
    uint64_t free, minimum, largest; /* as the heap said at `time` */
    uint64_t time;
    uint32_t index, caps;
} hs_lab_listened_region_t;

typedef struct hs_lab_listened_block {
    uint64_t address, size;
    uint32_t task, caps, site;
    uint32_t owned; /* 1: task and caps are known */
} hs_lab_listened_block_t;
/* cffi: end */

#endif
