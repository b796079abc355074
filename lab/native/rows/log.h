/*
 * One fact of a device's log: what one line says, in fields that mean the same in every kind. The
 * reader (lab/native/log) concludes nothing: it says what is printed, where, and how.
 */
#ifndef HEAPSCOPE_ROWS_LOG_H
#define HEAPSCOPE_ROWS_LOG_H

#include <stdint.h>

/* cffi: begin */
/*
 * The kinds. After each: the fields that a fact of it can have; `told` says which it has. Sizes are
 * in bytes. Python sees the names in lower case, without HS_LOG_.
 */
typedef enum hs_log_kind {
    /* ---- the start of a program ---- */
    HS_LOG_RESET,         /* a chip starts anew; name: how, "SW_CPU_RESET"; code: its number */
    HS_LOG_RESTART,       /* a program says that it restarts, or why it did; name: the reason */
    HS_LOG_CHIP,          /* name: the chip as printed, "ESP32-D0WD", "esp32s3" */
    HS_LOG_CHIP_REVISION, /* name: "v0.4" */
    HS_LOG_IDF,           /* name: the version as printed, "v5.3.1-dirty", "420ebd2" */
    HS_LOG_FRAMEWORK,     /* name: "MicroPython"; text: its version */
    HS_LOG_APP,           /* name: the version of the application */
    HS_LOG_PROJECT,       /* name */
    HS_LOG_SINGLE_CORE,
    HS_LOG_BOOT_BEGIN,     /* "Initializing. RAM available": a list of regions follows */
    HS_LOG_BOOT_REGION,    /* address, size; name: of its type */
    HS_LOG_NEW_HEAP,       /* address: a heap made there */
    HS_LOG_PSRAM_FOUND,    /* size */
    HS_LOG_PSRAM_MAPPED,   /* size: what of it can be addressed */
    HS_LOG_PSRAM_POOL,     /* size: given to the heap; text: "gap ..." of a remainder */
    HS_LOG_DMA_RESERVE,    /* size: internal memory that malloc leaves to drivers */
    HS_LOG_RANGE_FREE,     /* address, size: an "Available memory region" */
    HS_LOG_RANGE_RESERVED, /* address, size */
    /* ---- states of a heap ---- */
    HS_LOG_SUMMARY,     /* the head of heap_caps_print_heap_info; caps */
    HS_LOG_REGION,      /* its line of a region: address, size, free, used, min */
    HS_LOG_REGION_MORE, /* the line below: largest, count (used blocks), free_count, total (blocks) */
    HS_LOG_TOTALS,      /* free, used, min, largest */
    HS_LOG_FIGURES, /* free, largest, min, total, used, peak of `memory`, in a program's own words */
    /* ---- memory that was not given ---- */
    HS_LOG_FAILED,        /* a request; size, caps; name: who asked; text: in which words */
    HS_LOG_ABORT_REQUEST, /* as FAILED: "Mem alloc fail", after which the program ends */
    HS_LOG_TLS_ERROR,     /* code (negative); name: the call; text: the code as printed */
    HS_LOG_ERROR,      /* code; text: as printed: another error whose number or name is printed */
    HS_LOG_CORRUPT,    /* address, size (expected word), total (word found); name: head, tail, data,
                          or the function whose assertion failed; text: its file and line */
    HS_LOG_NOT_MEMORY, /* it looks like memory and is not; text: why */
    HS_LOG_PANIC,      /* name: the cause, "StoreProhibited", "abort" */
    HS_LOG_CORE_DUMP,  /* the begin of one; with name: the task that crashed */
    HS_LOG_KINDS       /* how many there are */
} hs_log_kind_t;

/* The memory that a figure speaks of. */
typedef enum hs_log_memory {
    HS_LOG_MEMORY_ANY, /* not said: what malloc uses */
    HS_LOG_MEMORY_INTERNAL,
    HS_LOG_MEMORY_SPIRAM,
    HS_LOG_MEMORY_DMA,
    HS_LOG_MEMORY_DEFAULT,
    HS_LOG_MEMORY_8BIT,
    HS_LOG_MEMORY_32BIT,
    HS_LOG_MEMORY_IRAM,
    HS_LOG_MEMORY_DRAM,
    HS_LOG_MEMORY_PYTHON /* the heap of MicroPython's collector, not that of C */
} hs_log_memory_t;

/* Bits of `told`. */
#define HS_LOG_TOLD_ADDRESS 1
#define HS_LOG_TOLD_SIZE 2
#define HS_LOG_TOLD_CAPS 4
#define HS_LOG_TOLD_FREE 8
#define HS_LOG_TOLD_LARGEST 16
#define HS_LOG_TOLD_MIN 32
#define HS_LOG_TOLD_TOTAL 64
#define HS_LOG_TOLD_USED 128
#define HS_LOG_TOLD_PEAK 256
#define HS_LOG_TOLD_COUNT 512
#define HS_LOG_TOLD_FREE_COUNT 1024
#define HS_LOG_TOLD_CODE 2048

/* Bits of `flags`. */
#define HS_LOG_NO_MEMORY 1 /* an error whose meaning is that memory was short */
#define HS_LOG_WEAK 2      /* the words would also fit something else than a heap */
#define HS_LOG_CUT 4       /* the line ends before the form does: later fields may be missing */
#define HS_LOG_WRAPPED 8   /* put together from lines that a terminal had wrapped */

typedef struct hs_lab_log_fact {
    uint64_t line;   /* from 1 */
    uint64_t offset; /* of the first byte of the line in the input */
    int64_t uptime;  /* ms since the start of the program, told by the line's prefix; -1: not */
    int64_t clock;   /* ms since midnight, told by the monitor's prefix; -1: not */
    int64_t address, size, caps, free, largest, min, total, used, peak, count, free_count, code;
    uint32_t length; /* bytes of the line in the input, with its prefix */
    uint32_t told;   /* HS_LOG_TOLD_*; fields that are not told are 0 */
    uint32_t unit;   /* of the sizes as printed: 1, or 1024 where they are rounded to KB */
    uint16_t kind;   /* hs_log_kind_t */
    uint8_t memory;  /* hs_log_memory_t */
    uint8_t flags;
    char name[64]; /* UTF-8, cut to fit, ended by NUL; untrusted */
    char text[64];
    char quote[192]; /* the line without prefix, colours and secrets, for people */
} hs_lab_log_fact_t;
/* cffi: end */

#endif
