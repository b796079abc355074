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
    uint64_t asked;             /* bytes of all allocations and reallocations */
    uint64_t live, live_blocks; /* HS_LAB_NEVER: not known */
    uint64_t live_peak;         /* bytes; 0: never known */
    uint64_t snapshots, voids, corrections, unknown_frees, overlaps, pairs, overflows;
    uint64_t first_time, last_time;
    uint64_t hertz;         /* of the recording's clock; 0: it does not tell it */
    uint64_t lost[7];       /* as LOST tells, by kind; 0: of no kind that it tells */
    uint64_t lost_bytes[7]; /* HS_LAB_NEVER: its records have no sizes */
    uint64_t left_out;      /* of these, by a level or filter */
    uint64_t missing;       /* events that did not arrive and were not left out on purpose */
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
#define HS_LAB_NOTICE_LATE_START 4 /* the recorder began when the heap had blocks already */
#define HS_LAB_NOTICE_STOPPED 5    /* a watched request stopped fitting */

/* Something that is reported at once, in the order of the stream. */
typedef struct hs_lab_notice {
    uint64_t text;   /* `text_bytes` before it */
    uint64_t count;  /* equal failed requests, one behind the other; events that are lost; else 1 */
    uint64_t size;   /* of the failed request; bytes of who is most in the way of the watched one */
    uint64_t blocks; /* of who is in the way; 0: nobody */
    uint32_t kind;
    uint32_t owned; /* 1: its sentence goes on with the task and the call site */
    int64_t task;
    uint32_t site;
    uint32_t index; /* of the mark's name, or of the watched request */
} hs_lab_notice_t;

/* A region as the recording tells it. HS_LAB_NEVER: not told. */
typedef struct hs_lab_listened_region {
    uint64_t start, size;
    uint64_t free, minimum, largest; /* as the heap said at `time` */
    uint64_t time;
    uint32_t index, caps;
} hs_lab_listened_region_t;

/* How a figure of free memory, or an answer about a request, is known. */
#define HS_LAB_BY_NOBODY 0
#define HS_LAB_BY_HEAP 1   /* the heap on the device reported it */
#define HS_LAB_BY_BLOCKS 2 /* the live blocks leave no more */
#define HS_LAB_BY_REPLAY 3 /* a replay of the recording */
#define HS_LAB_BY_LAID 4   /* one that began at a snapshot, whose blocks it placed anew */

/* The regions of one name and the same capabilities. Bytes; HS_LAB_NEVER: not known. */
typedef struct hs_lab_memory {
    uint64_t size, free, minimum, largest;
    uint64_t age;                /* ticks since the heap reported it, of the oldest report */
    uint64_t live, blocks, room; /* room: the longest stretch without a live block */
    uint32_t region; /* the first of them: its index in the recording or in the replayed memory */
    uint32_t caps, by;
} hs_lab_memory_t;

#define HS_LAB_NO_TASK -1 /* a snapshot alone told the block, without its task */

/* The live blocks that one task holds through one call site. */
typedef struct hs_lab_owner {
    int64_t task;
    uint64_t live, blocks;
    int64_t growth; /* bytes more than at the beginning of the window; 0 without one */
    uint32_t site;
} hs_lab_owner_t;

/* Growth and rates over the last seconds. */
typedef struct hs_lab_lately {
    double time; /* seconds, by the recording's clock, or where it has none by the caller's */
    double rate, churn; /* heap events and requested bytes a second */
    double window;      /* seconds that growth is measured over */
    int64_t growth;     /* of the live bytes */
    uint32_t clocked;   /* 1: `time` is the recording's */
    uint32_t rated;     /* 1: rate and churn are known */
    uint32_t grown;     /* 1: window and growth are known */
    uint32_t owners;    /* how many there are */
} hs_lab_lately_t;

/* A request that is asked about all the time. */
typedef struct hs_lab_watched {
    uint64_t largest; /* the bytes that the answer is based on; HS_LAB_NEVER: none */
    uint64_t stopped; /* how often it stopped fitting */
    uint32_t size, caps;
    uint32_t fits; /* 0: no; 1: yes; 2: not known */
    uint32_t by;
} hs_lab_watched_t;
/* cffi: end */

#endif
