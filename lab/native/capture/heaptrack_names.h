/* The names, modules and stacks of a heaptrack file, and the call sites made of them. Private.
 *
 * Numbers of strings, instruction pointers and stacks begin at 1, as in the file; 0 stands for no entry. */
#ifndef HEAPSCOPE_NATIVE_HEAPTRACK_NAMES_H
#define HEAPSCOPE_NATIVE_HEAPTRACK_NAMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "heapscope/status.h"
#include "heapscope/trace.h"

typedef struct hs_ht_stack {
    uint64_t ip;     /* interpreted: the number of one; raw: an address */
    uint32_t parent; /* the caller's stack */
    uint32_t site;   /* in the trace; 0: not named yet */
} hs_ht_stack_t;

typedef struct hs_ht_module {
    uint32_t name; /* number of its string */
    uint64_t start, end, base;
} hs_ht_module_t;

typedef struct hs_ht_names {
    char **strings; /* of strings and of instruction pointers, each allocated */
    char **places;
    hs_ht_stack_t *stacks;
    hs_ht_module_t *modules;
    size_t string_count, place_count, stack_count, module_count;
    size_t string_room, place_room, stack_room, module_room;
    uint64_t highest; /* instruction pointer seen */
    uint32_t sites;   /* named so far */
    bool raw;         /* stacks hold addresses */
} hs_ht_names_t;

void hs_ht_names_clear(hs_ht_names_t *names);

#define HS_HT_STRING_MAX 16384u /* bytes that are kept of a string */

/* The next string. */
hs_status_t hs_ht_string(hs_ht_names_t *names, const uint8_t *text, size_t length);
/* The next instruction pointer: its module, and for each frame, the innermost first, the numbers of
 * function and file, and the line. */
hs_status_t hs_ht_place(hs_ht_names_t *names, uint64_t ip, uint64_t module,
                        const uint64_t (*frames)[3], size_t count);
hs_status_t hs_ht_stack(hs_ht_names_t *names, uint64_t ip, uint64_t parent);
/* A part of a module in memory; `name` as number of a string. */
hs_status_t hs_ht_module(hs_ht_names_t *names, uint32_t name, uint64_t base, uint64_t start,
                         uint64_t size);
void hs_ht_modules_drop(hs_ht_names_t *names);

/* The frames of a stack, the outermost first, with ';' between them; where they are too many for a
 * name the outermost are left out. Returns the bytes. */
size_t hs_ht_site_name(const hs_ht_names_t *names, uint64_t stack, char out[HS_SITE_NAME_MAX]);

#endif
