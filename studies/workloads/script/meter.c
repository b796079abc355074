/*
 * Measures the work of a script's jobs apart from their heap's: meter SCRIPT.js. The engine runs on
 * Heapscope's own heap in an arena. Every access to the arena goes to a cache such as the ESP32 has
 * before its external RAM: 32 KB, two ways, lines of 32 bytes, written back. The compiler puts a
 * call before each access (make.py says how); copying functions are counted in words.
 *
 * Prints a line for each job, when it ends: accesses, lines read and lines written back, first those of
 * the engine, then those of the heap's own code; then calls to the heap. Built without the calls
 * (no HS_METER_CACHE), it does the same work for a tool that counts instructions between the calls of
 * hs_rec_mark.
 */
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "heapscope/heap.h"

#include "engine.h"

#define ARENA (512u << 10)
#define LINE 32u
#define WAYS 2u
#define SETS (32768u / LINE / WAYS)

enum { ENGINE, HEAP, PARTS };

struct hs_rec {
    hs_heap_t *heap;
    char job[64];
};

typedef struct line {
    uint32_t tag; /* line of the arena plus 1; 0: empty */
    bool dirty;
} line_t;

typedef struct counts {
    uint64_t accesses, read, written;
} counts_t;

static unsigned char arena[ARENA] __attribute__((aligned(LINE)));
static counts_t counted[PARTS];
static uint64_t calls;
static int part = ENGINE;

/* ---- the cache ---- */

#ifdef HS_METER_CACHE
static line_t cache[SETS][WAYS]; /* the first was used last */

static void touch(const void *address, bool writes)
{
    uintptr_t at = (uintptr_t)address - (uintptr_t)arena;
    if (at >= ARENA) {
        return;
    }
    counts_t *counts = &counted[part];
    counts->accesses++;
    uint32_t tag = (uint32_t)(at / LINE) + 1;
    line_t *set = cache[tag % SETS];
    if (set[0].tag != tag) {
        line_t match = set[1];
        if (match.tag != tag) {
            counts->read++;
            counts->written += match.dirty;
            match = (line_t){.tag = tag};
        }
        set[1] = set[0];
        set[0] = match;
    }
    set[0].dirty |= writes;
}

static void touch_all(const unsigned char *at, size_t size, bool writes)
{
    while (size > 0) {
        size_t width = (uintptr_t)at % 4 == 0 && size >= 4 ? 4 : 1;
        touch(at, writes);
        at += width;
        size -= width;
    }
}

/* The compiler calls these functions by its own names. */
#define ACCESS(width)                                                                              \
    void __asan_load##width(const unsigned char *at);                                              \
    void __asan_store##width(const unsigned char *at);                                             \
    void __asan_load##width(const unsigned char *at)                                               \
    {                                                                                              \
        touch_all(at, width, false);                                                               \
    }                                                                                              \
    void __asan_store##width(const unsigned char *at)                                              \
    {                                                                                              \
        touch_all(at, width, true);                                                                \
    }

ACCESS(1)
ACCESS(2)
ACCESS(4)
ACCESS(8)
ACCESS(16)

void __asan_loadN(const unsigned char *at, size_t size);
void __asan_storeN(const unsigned char *at, size_t size);
void __asan_handle_no_return(void);

void __asan_loadN(const unsigned char *at, size_t size)
{
    touch_all(at, size, false);
}

void __asan_storeN(const unsigned char *at, size_t size)
{
    touch_all(at, size, true);
}

void __asan_handle_no_return(void) {}

#define WRAPPED(result, name, ...)                                                                 \
    result __real_##name(__VA_ARGS__);                                                             \
    result __wrap_##name(__VA_ARGS__);                                                             \
    result __wrap_##name(__VA_ARGS__)

WRAPPED(void *, memcpy, void *to, const void *from, size_t size)
{
    touch_all(from, size, false);
    touch_all(to, size, true);
    return __real_memcpy(to, from, size);
}

WRAPPED(void *, memmove, void *to, const void *from, size_t size)
{
    touch_all(from, size, false);
    touch_all(to, size, true);
    return __real_memmove(to, from, size);
}

WRAPPED(void *, memset, void *to, int byte, size_t size)
{
    touch_all(to, size, true);
    return __real_memset(to, byte, size);
}
#endif

/* ---- what the engine takes for its recorder ---- */

#define WITHIN_HEAP(call)                                                                          \
    do {                                                                                           \
        part = HEAP;                                                                               \
        calls++;                                                                                   \
        call;                                                                                      \
        part = ENGINE;                                                                             \
    } while (0)

void *hs_rec_malloc(hs_rec_t *rec, size_t size)
{
    void *block;
    WITHIN_HEAP(block = hs_heap_malloc(rec->heap, size));
    return block;
}

void *hs_rec_realloc(hs_rec_t *rec, void *block, size_t size)
{
    void *moved;
    WITHIN_HEAP(moved = hs_heap_realloc(rec->heap, block, size));
    return moved;
}

void hs_rec_free(hs_rec_t *rec, void *block)
{
    WITHIN_HEAP(hs_heap_free(rec->heap, block));
}

hs_status_t hs_rec_mark(hs_rec_t *rec, const char *name)
{
    printf("%s:", rec->job);
    for (int i = 0; i < PARTS; i++) {
        printf(" %" PRIu64 " %" PRIu64 " %" PRIu64, counted[i].accesses, counted[i].read,
               counted[i].written);
    }
    printf(" %" PRIu64 "\n", calls);
    memset(counted, 0, sizeof counted);
    calls = 0;
    snprintf(rec->job, sizeof rec->job, "%s", name);
    return HS_OK;
}

hs_rec_use_t hs_rec_use(const hs_rec_t *rec)
{
    (void)rec;
    return (hs_rec_use_t){0};
}

int main(int count, char **arguments)
{
    if (count != 2) {
        fprintf(stderr, "usage: %s SCRIPT.js\n", arguments[0]);
        return 2;
    }
    hs_rec_t rec = {.heap = hs_heap_create(arena, sizeof arena, NULL), .job = "start"};
    const hs_engine_plan_t plan = {.script = arguments[1], .rec = &rec};
    int error = rec.heap == NULL ? 1 : hs_engine_run(&plan);
    hs_rec_mark(&rec, "end");
    return error;
}
