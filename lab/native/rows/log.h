/*
 * One fact of a device's log: what one line says, in fields that mean the same in every kind. The
 * reader (lab/native/log) concludes nothing: it says what is printed, where, and how.
 */
#ifndef HEAPSCOPE_ROWS_LOG_H
#define HEAPSCOPE_ROWS_LOG_H

#include <stdint.h>

/* cffi: begin */
/*
 * The kinds. After each: the fields that a fact of it can have; `has` says which it has. Sizes are
 * in bytes. Python sees the names in lower case, without HS_LOG_.
 */
typedef enum hs_log_kind {
    /* ---- the start of a program ---- */
    HS_LOG_RESET,          /* a chip starts anew; name: how, "SW_CPU_RESET"; code: its number */
    HS_LOG_RESTART,        /* a program says that it restarts, or why it did; name: the reason */
    HS_LOG_CHIP,           /* name: the chip as printed, "ESP32-D0WD", "esp32s3" */
    HS_LOG_CHIP_REVISION,  /* name: "v0.4" */
    HS_LOG_IDF,            /* name: the version as printed, "v5.3.1-dirty", "420ebd2" */
    HS_LOG_FRAMEWORK,      /* name: "MicroPython"; text: its version */
    HS_LOG_APP,            /* name: the version of the application */
    HS_LOG_PROJECT,        /* name */
    HS_LOG_CORES,          /* text: how many the program runs on, "1" or "2" */
    HS_LOG_CPU_CLOCK,      /* size: Hz */
    HS_LOG_BOOT_BEGIN,     /* "RAM available for dynamic allocation": a list of regions follows */
    HS_LOG_BOOT_REGION,    /* address, size; name: of its type */
    HS_LOG_BOOT_END,       /* the first other line of the program behind a list of regions */
    HS_LOG_NEW_HEAP,       /* address: a heap made there */
    HS_LOG_PSRAM_FOUND,    /* size */
    HS_LOG_PSRAM_MAPPED,   /* size: the part of it that can be addressed */
    HS_LOG_PSRAM_POOL,     /* size: given to the heap; text: "gap generated ..." of a remainder */
    HS_LOG_DMA_RESERVE,    /* size: internal memory that malloc leaves to drivers */
    HS_LOG_RANGE_FREE,     /* address, size: an "Available memory region" of memory_layout */
    HS_LOG_RANGE_RESERVED, /* address, size */
    /* ---- states of a heap ---- */
    HS_LOG_SUMMARY,     /* the head of heap_caps_print_heap_info; caps */
    HS_LOG_REGION,      /* its line of a region: address, size, free, used, min */
    HS_LOG_REGION_MORE, /* the line below: largest, count (used blocks), free_count, total (blocks) */
    HS_LOG_TOTALS,      /* free, used, min, largest */
    HS_LOG_FIGURES, /* free, largest, min, total, used, peak of `memory`, in a program's words; name:
                       of the device, where a column or a system log tells it */
    HS_LOG_REPORT,  /* the head of a table of figures; name: of the memory; text: which report */
    HS_LOG_REPORT_LINE, /* one of its lines: total, free, used, min or largest */
    HS_LOG_TUPLE,       /* MicroPython's idf_heap_info, one region: total, free, largest, min */
    HS_LOG_MEMINFO, /* its mem_info: total, used, free, peak (possible new split); memory: python */
    HS_LOG_MEMINFO_MORE, /* the line below: largest (free, in bytes; unit 16) */
    HS_LOG_TASMOTA,      /* StatusMEM: free; or total and free of PSRAM; unit 1024 */
    HS_LOG_OVMS,         /* "Free 8-bit": free, total; size, peak: free and total of 32-bit */
    HS_LOG_OVMS_TASK,    /* name; used, size, total: bytes of 8-bit, of 32-bit, of SPIRAM */
    HS_LOG_NUTTX_FREE,   /* name: "Umem"; total, used, free, largest, peak, count, free_count */
    HS_LOG_NUTTX_TASK,   /* ps with a column HEAP: used; code: process; name: command */
    HS_LOG_NUTTX_HEAP,   /* a heap or region begins: address, size */
    HS_LOG_ZEPHYR_HEAP,  /* address; total (units of 8 bytes), count (buckets) */
    HS_LOG_ZEPHYR_CHUNK, /* code: its number; size (units); used: 1 or 0 */
    HS_LOG_LVGL,         /* used, largest (free): LVGL's own pool */
    HS_LOG_POOL_HEAD,    /* a report on pools begins; name: of the pool; text: as of HS_LOG_POOL */
    HS_LOG_POOL, /* name: of a pool; text: "SYSTEM/UNIT"; total, used, free, largest, min, peak, count
                    (failures), free_count (pieces), size (a request); NO_MEMORY: it failed just now */
    HS_LOG_DUMP,       /* the head of heap_caps_dump; address: of the heap */
    HS_LOG_BLOCK_USED, /* address, size: one block of it */
    HS_LOG_BLOCK_FREE, /* address, size */
    HS_LOG_TASK,       /* heap use of a task: name, used, peak, count (heaps); text: "deleted" */
    HS_LOG_TASK_CAPS,  /* "Task: NAME -> A: used B: size"; text: the name of A */
    HS_LOG_TASK_HEAP,  /* the part in one region: name, caps, size (region), used, peak, count */
    HS_LOG_TASK_BLOCK, /* address, size: a block of the task above */
    /* ---- events ---- */
    HS_LOG_TRACE,        /* the head of heap_trace_dump: count (records), total (capacity) */
    HS_LOG_TRACE_RECORD, /* size, address, code: CPU, total: its cycle counter, used: 0 where it says
                             that it was freed, or 1; name: callers; text: "Internal", "PSRAM" or "" */
    HS_LOG_TRACE_FREED,  /* the record above was freed; name: callers */
    HS_LOG_TRACE_MODE,   /* name: "All", "Leaks" */
    HS_LOG_TRACE_LEFT,   /* used (bytes) and count (blocks) that are not freed */
    HS_LOG_TRACE_TOTALS,  /* count (allocations), free_count (frees): either or both */
    HS_LOG_TRACE_FULL,    /* the device's buffer was full */
    HS_LOG_FRAME,         /* a monitor's name of a code address: address; name: of the function;
                             text: "file.c:27" */
    HS_LOG_MORE,          /* name: goes on where the name of the fact before it was cut */
    HS_LOG_ALLOCATED,     /* address, size; name: the task or the function */
    HS_LOG_FREED,         /* address; name */
    HS_LOG_SYSVIEW_LEAKS, /* used (bytes), count (blocks) */
    HS_LOG_ASKED,         /* "Allocating ... (N bytes)": size; whether it was served is unknown */
    /* ---- memory that was not given ---- */
    HS_LOG_FAILED,        /* a request; size, caps; name: who asked; text: in which words */
    HS_LOG_ABORT_REQUEST, /* the same: "Mem alloc fail", after which the program ends */
    HS_LOG_PYTHON_ERROR,  /* MemoryError: size; the heap of MicroPython */
    HS_LOG_WIFI_FRAME,    /* "m f": no memory for a frame; size (payload); name: of the frame */
    HS_LOG_WIFI_BUFFER, /* "alloc eb": size (payload), code (type), free (all memory, PSRAM too) */
    HS_LOG_WIFI_RX,     /* count: wanted receive buffers, free_count: given ones */
    HS_LOG_TASK_FAILED, /* a task could not be created; name */
    HS_LOG_TLS_ERROR,   /* code (negative); name: the call; text: the code, or its words */
    HS_LOG_ERROR,       /* code, as of ESP-IDF or errno; text: as printed */
    HS_LOG_CORRUPT,     /* address; size: the word expected, total: the word found; code: line;
                             name: "head", "tail", "data", or the function; text: file */
    HS_LOG_NOT_MEMORY,  /* it looks like a lack of memory, but is something else; text: why */
    HS_LOG_PANIC,       /* name: the cause, "StoreProhibited", "abort"; address */
    HS_LOG_CORE_DUMP,   /* the begin of one; or name: the task that crashed */
    HS_LOG_STACK,       /* a stack overflowed; name: the task; text: by what it was found: "hook",
                           "canary", "guard", "smashing" */
    HS_LOG_BROWNOUT,    /* the supply fell below what the chip needs */
    HS_LOG_WATCHDOG,    /* text: "task"; or name: a task, and text: "starved" or "runs" */
    HS_LOG_REGISTER,  /* of a panic: address; name: "PC" or "address", which was accessed; size: the
                           return address */
    HS_LOG_RAN,       /* of a panic: name: the thread that ran */
    HS_LOG_BACKTRACE, /* of a panic: name: its code addresses, with a blank between two */
    HS_LOG_BUILD,     /* name: a region of the linker; text: "overflowed", size: by how much; or
                           text: "used", used, free, total */
    /* ---- the others ---- */
    HS_LOG_UNREAD, /* a line that looks like one of memory and tells nothing of the above */
    HS_LOG_SAMPLE, /* another number of a pattern of the user; name: its label; size */
    HS_LOG_KINDS   /* how many there are */
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

/* Bits of `has`: of each number by its name. */
typedef enum hs_log_has {
    HS_LOG_HAS_ADDRESS = 1,
    HS_LOG_HAS_SIZE = 2,
    HS_LOG_HAS_CAPS = 4,
    HS_LOG_HAS_FREE = 8,
    HS_LOG_HAS_LARGEST = 16,
    HS_LOG_HAS_MIN = 32,
    HS_LOG_HAS_TOTAL = 64,
    HS_LOG_HAS_USED = 128,
    HS_LOG_HAS_PEAK = 256,
    HS_LOG_HAS_COUNT = 512,
    HS_LOG_HAS_FREE_COUNT = 1024,
    HS_LOG_HAS_CODE = 2048
} hs_log_has_t;

/* Bits of `flags`. */
typedef enum hs_log_flag {
    HS_LOG_NO_MEMORY = 1, /* an error whose meaning is that memory was short */
    HS_LOG_WEAK = 2,      /* the words would also fit something else than a heap */
    HS_LOG_CUT = 4,       /* the line ends before the form does: later fields may be missing */
    HS_LOG_WRAPPED = 8,   /* put together from lines that a terminal had wrapped */
    HS_LOG_ARDUINO = 16,  /* its prefix names file and line, as Arduino's log does */
    HS_LOG_PATTERN = 32,  /* a pattern of the user found it */
    HS_LOG_UNENDED = 64   /* its line has no end yet: its last number may go on */
} hs_log_flag_t;

typedef struct hs_lab_log_fact {
    uint64_t line;   /* from 1 */
    uint64_t offset; /* of the first byte of the line in the input */
    int64_t uptime;  /* ms since the start of the program, told by the line's prefix; -1: not */
    int64_t before;  /* the uptime of the last line that tells one, this one too; -1: none */
    int64_t clock;   /* ms since midnight, told by the monitor's prefix; -1: not */
    int64_t time;    /* ms of a clock that the line's own words tell, by any zero; -1: not */
    int64_t address, size, caps, free, largest, min, total, used, peak, count, free_count, code;
    uint32_t length; /* bytes of the line in the input, with its prefix */
    uint32_t has;    /* HS_LOG_HAS_*; fields that are not reported are 0 */
    uint32_t unit;   /* of the sizes as printed: 1, or 1024 where they are rounded to KB */
    uint16_t kind;   /* hs_log_kind_t */
    uint8_t memory;  /* hs_log_memory_t */
    uint8_t flags;
    char name[64]; /* UTF-8, cut to fit, ended by NUL; untrusted */
    char text[64];
    char quote[192]; /* the line without prefix, colours and secrets, for people */
} hs_lab_log_fact_t;

/* Requests that failed in the same way. -1: unknown. The texts are UTF-8, ended by NUL, untrusted. */
typedef struct hs_lab_log_failed {
    uint64_t first, last; /* lines */
    uint64_t count;
    int64_t size, caps;
    int64_t free;    /* what the first line says was free */
    int64_t uptime;  /* ms, at the first one */
    uint64_t memory; /* 0: the log shows another cause */
    char who[96];
    char how[64]; /* "callback", "abort", "python", "wifi buffer", "tls", "task", "words", ... */
    char quote[192];
} hs_lab_log_failed_t;
/* cffi: end */

#endif
