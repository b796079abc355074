/* The names of a trace: (table, index) to bytes. Memory follows the names given: a page of pointers
 * for a hostile index, never a whole table, and HS_NAMES_BYTES_MAX in all. Private to
 * lab/native/trace. */
#ifndef HEAPSCOPE_NATIVE_NAMES_H
#define HEAPSCOPE_NATIVE_NAMES_H

#include "heapscope/status.h"
#include "heapscope/trace.h"

#define HS_NAMES_BYTES_MAX ((size_t)64 << 20)
#define HS_NAMES_PAGE 256u

/* `bytes` follow the struct. */
typedef struct hs_name {
    uint16_t length;
    uint8_t bytes[];
} hs_name_t;

/* 2 KB of pointers to names. */
typedef struct hs_names_page {
    hs_name_t *names[HS_NAMES_PAGE];
} hs_names_page_t;

typedef struct hs_names {
    hs_names_page_t **pages[HS_NAMES_TABLES]; /* NULL until the table's first name */
    size_t held;                              /* bytes of all of this */
} hs_names_t;

void hs_names_clear(hs_names_t *names);
/* Gives a name, instead of an earlier one; cut at HS_NAME_MAX. HS_ERR_MEMORY: the bound is reached,
 * or the host's memory; the name stays as it was. O(1). */
hs_status_t hs_names_set(hs_names_t *names, hs_name_table_t table, uint32_t index,
                         const uint8_t *bytes, size_t length);
/* A piece of a site's name: what its first three dots stand for. Nothing happens where the name so
 * far has not `after` bytes that begin with dots, as a piece was lost, nor where the bound is
 * reached. O(length of the name). */
void hs_names_callers(hs_names_t *names, uint32_t site, uint64_t after, const uint8_t *bytes,
                      size_t length);
/* The lowest index from `index` on that has a name; UINT32_MAX: none. O(pages of a table). */
uint32_t hs_names_next(const hs_names_t *names, hs_name_table_t table, uint32_t index);
/* NULL: never given. */
const uint8_t *hs_names_get(const hs_names_t *names, hs_name_table_t table, uint32_t index,
                            size_t *length);

#endif
