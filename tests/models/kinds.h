/* Properties of allocators that tests need and cannot learn from the models. */
#ifndef HEAPSCOPE_TESTS_MODELS_KINDS_H
#define HEAPSCOPE_TESTS_MODELS_KINDS_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#define KIND_COUNT(list) (sizeof(list) / sizeof(list)[0])

/* Whether a name is one of those, or begins with one that ends in "*". */
static inline bool kind_in(const char *name, const char *const *list, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const size_t length = strlen(list[i]);
        const bool begins = list[i][length - 1] == '*';
        if (begins ? strncmp(name, list[i], length - 1) == 0 : strcmp(name, list[i]) == 0) {
            return true;
        }
    }
    return false;
}

/* The heaps of other systems than the lab began with: the real ones answered long traces in
 * tests/oracle, and random programs are shorter here. */
static inline bool kind_is_of_the_field(const char *name)
{
    static const char *const list[] = {
        "sys_heap-*", "zephyr-*",   "newlib*", "picolibc*", "heap_5", "threadx",
        "nuttx*",     "rtthread-*", "lwip-*",  "heapmem",   "lvgl",   "linked_list*",
        "rlsf",       "embedded-*", "esp-al*", "talc-*",    "buddy*", "o1heap-3",
    };
    return kind_in(name, list, KIND_COUNT(list));
}

/* Nothing lies between two blocks. */
static inline bool kind_abuts(const char *name)
{
    static const char *const list[] = {"heapscope*",   "linked_list*",     "esp-alloc",
                                       "esp-alloc-2",  "esp-alloc-malloc", "buddy*",
                                       "rtthread-slab"};
    return kind_in(name, list, KIND_COUNT(list));
}

/* When all blocks are free, the heap is as it was at first. The others never join the break with what is
 * free below it, or join free blocks only in a search. */
static inline bool kind_heals(const char *name)
{
    static const char *const list[] = {"newlib-nano-4.1", "newlib-nano-3.3", "picolibc",
                                       "picolibc-16",     "newlib",          "buddy*",
                                       "esp-alloc-2",     "heap_5",          "rtthread-slab"};
    return !kind_in(name, list, KIND_COUNT(list));
}

/* A refused request leaves every byte as it was. The others count it, or their search changes what is
 * found next, or joins free blocks on its way, or leaves a first piece of memory unused. */
static inline bool kind_forgets_refusals(const char *name)
{
    static const char *const list[] = {"o1heap*", "sys_heap*", "zephyr-*", "picolibc*",
                                       "newlib",  "heapmem",   "threadx"};
    return !kind_in(name, list, KIND_COUNT(list));
}

/* A refused request changes what is used or free: a realloc keeps what it took from behind the block, or
 * a search has joined free blocks. */
static inline bool kind_grows_refused(const char *name)
{
    static const char *const list[] = {"picolibc-1.8", "heapmem"};
    return kind_in(name, list, KIND_COUNT(list));
}

/* It makes no heap at address 0. */
static inline bool kind_refuses_zero(const char *name)
{
    static const char *const list[] = {"o1heap*", "rlsf", "embedded-*", "esp-alloc-tlsf",
                                       "esp-alloc-malloc-tlsf"};
    return kind_in(name, list, KIND_COUNT(list));
}

/* Bytes at the start of a free block's payload that hold links at least. */
static inline uint32_t kind_links(const char *name)
{
    static const char *const none[] = {"heap_*", "newlib-nano*", "picolibc-1.8*", "threadx",
                                       "lwip-*", "rtthread-*",   "heapmem"};
    static const char *const eight[] = {"newlib", "nuttx*",     "linked_list*", "esp-al*",
                                        "rlsf",   "embedded-*", "o1heap-3"};
    static const char *const twelve[] = {"heapscope*", "talc-*"};
    return kind_in(name, none, KIND_COUNT(none))       ? 0
           : kind_in(name, eight, KIND_COUNT(eight))   ? 8
           : kind_in(name, twelve, KIND_COUNT(twelve)) ? 12
                                                       : 4;
}

/* Bits beside the payload that mean nothing: a unit of umm is a header of 8 bytes at both ends of
 * the region, and the rest of a larger unit is not used there. */
static inline uint32_t kind_unused(const char *name)
{
    return strcmp(name, "umm:32") == 0 ? 2 * (32 - 8) * 8 / CHECK_THIN : 0;
}

/* Tenths of the other bits that a check finds at least. The headers of some have bytes that mean nothing:
 * padding in front of a payload that has a wider alignment, a flag's other bits, links that count only in
 * a free block; the full newlib's bins are variables, between the regions of heap_5 is nothing, and most of a
 * slab's region outside of its chunks is in front of its first page or behind its last chunk. */
static inline uint32_t kind_found(const char *name)
{
    static const char *const few[] = {"heap_5", "rtthread-*", "lwip-*", "heapmem"};
    static const char *const some[] = {"rlsf",           "embedded-*",
                                       "esp-alloc-tlsf", "esp-alloc-malloc-tlsf",
                                       "talc-4-8",       "picolibc-1.8.11-16"};
    if (strcmp(name, "rtthread-slab") == 0) {
        return 0;
    }
    if (strcmp(name, "newlib") == 0) {
        return 2;
    }
    return kind_in(name, few, KIND_COUNT(few)) ? 3 : kind_in(name, some, KIND_COUNT(some)) ? 5 : 9;
}

/* An alignment that a region's base must have; bytes. */
static inline uint32_t kind_base(const char *name)
{
    static const char *const sixteen[] = {"o1heap"};
    static const char *const eight[] = {"o1heap-3"};
    return kind_in(name, sixteen, 1) ? 16 : kind_in(name, eight, 1) ? 8 : 1;
}

/* Bytes that a region needs beside what tests give to all: a zone for each of some sizes. */
static inline uint32_t kind_more(const char *name)
{
    return strcmp(name, "rtthread-slab") == 0 ? UINT32_C(27) * 4096 : 0;
}

/* It is the program's address that is aligned, and not that behind what a layer puts in front. */
static inline bool kind_aligns_program(const char *name)
{
    return strcmp(name, "zephyr-k_malloc") == 0;
}

#endif
