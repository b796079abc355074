/*
 * The forms in which systems print their pools, as a table of patterns (form.h has the language). A head
 * opens a report whose lines are read by pools.c. The text of a form is "SYSTEM/UNIT".
 */
#include "form.h"

#define MEMORY HS_LOG_NO_MEMORY
#define HEAD HS_LOG_POOL_HEAD
#define POOL HS_LOG_POOL

const hs_log_form_t hs_log_pool_forms[] = {
    /* ---- Rust: esp-alloc, arenas ---- */
    {HEAD, 0, "HEAP INFO", "heap", "esp-alloc/B"},
    {POOL, 0, "Internal | %t-| Used: %d-%% (Used %du of %dt, free: %df)", "Internal",
     "esp-alloc/B"},
    {POOL, 0, "External | %t-| Used: %d-%% (Used %du of %dt, free: %df)", "External",
     "esp-alloc/B"},
    {HS_LOG_FAILED, MEMORY, "Out of bump memory: requested %ds bytes, %df of %dt available",
     "bump memory", "pool"},
    {POOL, 0, "bump used %du of %dt", "bump memory", "rs-matter/B"},
    {HS_LOG_FAILED, MEMORY, "error: Layout %{ size: %ds", "alloc", "rust"},
    {HS_LOG_FAILED, MEMORY, "error: Layout %{ size_: %ds", "alloc", "rust"},
    /* ---- the linker's table of regions ---- */
    {HEAD, 0, "Memory region Used Size Region Size", "regions", "linker/B"},
    /* ---- Zephyr ---- */
    {HS_LOG_FRAMEWORK, 0, "Booting Zephyr OS build %wT", "Zephyr", NULL},
    {HS_LOG_FRAMEWORK, 0, "Booting Zephyr OS version %wT", "Zephyr", NULL},
    {HS_LOG_FRAMEWORK, 0, "Booting nRF Connect SDK %wT", "nRF Connect SDK", NULL},
    {HEAD, 0, "kernel heap statistics:", "heap", "Zephyr/B"},
    {HEAD, 0, "%<Nheap statistics:", NULL, "Zephyr/B"},
    {HEAD, 0, "kernel heap", "heap", "Zephyr/B"}, /* the command, as its shell repeats it */
    {HS_LOG_FIGURES, 0, "%<ffree bytes, %du allocated bytes, overhead =", NULL, NULL},
    {POOL, 0, "%<LSTACK: unused %df usage %du / %dt", NULL, "Zephyr/stack"},
    {POOL, 0, "%<LPRIV_STACK: unused %df usage %du / %dt", NULL, "Zephyr/stack"},
    {POOL, 0, "%<L(real size %d-): unused %df usage %du / %dt", NULL, "Zephyr/stack"},
    {POOL, 0, "%<Lunused %df usage %du / %dt", NULL, "Zephyr/stack"},
    {POOL, 0, "%<Nfree: %df, allocated: %du, max. allocated: %dp", NULL, "Zephyr/blocks"},
    {POOL, MEMORY, "Pool %wN low on buffers", NULL, "Zephyr/buffers"},
    {POOL, MEMORY, "net_pkt: Data buffer (%d-) allocation failed", "net_buf data",
     "Zephyr/buffers"},
    {POOL, MEMORY, "net_pkt: Data buffer allocation failed", "net_buf data", "Zephyr/buffers"},
    {HS_LOG_KINDS, 0, "Failed to get free buffer", NULL, NULL}, /* the line below says it again */
    /* ---- lwIP, OpenThread, Matter ---- */
    {POOL, MEMORY, "memp_malloc: out of memory in pool %wN", NULL, "lwIP/elements"},
    {HEAD, 0, "Network buffer pools:", "net", "Zephyr/buffers"},
    {HEAD, 0, "bufferinfo", "message buffers", "OpenThread/buffers"},
    {POOL, MEMORY, "PacketBuffer: pool EMPTY", "PacketBuffer", "Matter/buffers"},
    /* ---- XS of Moddable ---- */
    {HS_LOG_FAILED, MEMORY, "xs: failed to allocate %ds bytes for %wN", NULL, "xs"},
    {HS_LOG_FAILED, MEMORY, "Chunk allocation: failed for %ds bytes", "chunk", "xs"},
    {HS_LOG_FAILED, MEMORY, "Slot allocation: failed for %ds bytes", "slot", "xs"},
    {HS_LOG_FAILED, MEMORY, "Chunk allocation: failed in fixed size heap", "chunk", "xs"},
    {HS_LOG_FAILED, MEMORY, "Slot allocation: failed in fixed size heap", "slot", "xs"},
    {HS_LOG_FAILED, MEMORY, "XS abort: memory full", "heap", "xs"},
    {HS_LOG_FAILED, MEMORY, "fxAbort memory full", "heap", "xs"},
    {POOL, 0, "Chunk allocation: reserved %dt used %du peak %dp bytes", "chunk", "XS/B"},
    {POOL, 0, "Slot allocation: reserved %dt used %du peak %dp bytes", "slot", "XS/B"},
    {HEAD, 0, "instruments key: %tN", NULL, "XS/B"},
    /* ---- Espruino: one variable has as many bytes as the line's end tells ---- */
    {POOL, 0, "free: %df, usage: %du, total: %dt, history", "variables", "Espruino/variables"},
    {POOL, 0, "free\": %df, \"usage\": %du, \"total\": %dt, \"history", "variables",
     "Espruino/variables"},
    {HS_LOG_FAILED, MEMORY, "Uncaught Error: OUT OF MEMORY", "Espruino", "pool"},
    /* ---- MicroPython ---- */
    {POOL, 0, "stack: %du out of %dt", "Python", "MicroPython/stack"},
    /* ---- Tasmota's telemetry, in KB ---- */
    {HS_LOG_FIGURES, 0, "Heap\":%Kf,\"SleepMode\":", NULL, NULL},
    /* ---- umm_malloc of the ESP8266, in blocks of 8 bytes ---- */
    {HEAD, 0, "umm heap statistics:", "heap", "umm_malloc/B"},
    {HS_LOG_FIGURES, 0, "Total Blocks %dt Used Blocks %du Free Blocks %df", NULL, "umm_malloc"},
    {HS_LOG_FIGURES, 0, "Total Blocks: %dt Used Blocks: %du Free Blocks: %df", NULL, "umm_malloc"},
    /* ---- LVGL ---- */
    {HS_LOG_FAILED, MEMORY, "%<NNo memory: %d-x%d-, cf: %d-, stride: %d-, %dsByte", NULL, "LVGL"},
    /* ---- ThreadX and NetX ---- */
    {POOL, 0, "frag:%dk available:%df", "byte pool", "ThreadX/B"},
    /* ---- stacks of FreeRTOS, in a program's own words ---- */
    {POOL, 0, "%<Nhwm: %df", NULL, "FreeRTOS/stack"},
    {POOL, 0, "%<Nhwm=%df", NULL, "FreeRTOS/stack"},
    {POOL, 0, "%<Nhwm %df", NULL, "FreeRTOS/stack"},
    {POOL, 0, "%<Nhigh water mark %df", NULL, "FreeRTOS/stack"},
    {POOL, 0, "%<Nhigh water mark: %df", NULL, "FreeRTOS/stack"},
    {POOL, 0, "%<Nhigh water mark=%df", NULL, "FreeRTOS/stack"},
    {POOL, 0, "%<Nstack high water mark: %df", NULL, "FreeRTOS/stack"},
    {POOL, 0, "%<Nstack hwm: %df", NULL, "FreeRTOS/stack"},
    {POOL, 0, "high water mark of %wN: %df", NULL, "FreeRTOS/stack"},
    /* ---- pools with a share: PJLIB, hs_pools_dump() ---- */
    {POOL, 0, "%<uof %dt (%d-%%) used, peak %dp", NULL, "pools/B"},
    {POOL, 0, "%<uof %dt (%d-%%) used", NULL, "pools/B"},
    {POOL, 0, "%<uof %dt (%d-.%d-%%) used!", NULL, "pools/B"},
};

const size_t hs_log_pool_form_count = sizeof hs_log_pool_forms / sizeof hs_log_pool_forms[0];
