/* Names to indices, in the order in which they first came. Private. */
#ifndef HEAPSCOPE_NATIVE_NAME_INDEX_H
#define HEAPSCOPE_NATIVE_NAME_INDEX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "heapscope/status.h"

typedef struct hs_indexed_name {
    size_t length;
    uint8_t bytes[]; /* `length` of them */
} hs_indexed_name_t;

typedef struct hs_name_index {
    hs_indexed_name_t **names; /* by index */
    uint32_t *slots;           /* open addressing; index + 1, 0: free */
    size_t mask;               /* slots - 1, which is 2^n - 1 */
    uint32_t count;
    uint32_t latest; /* looked up last: tasks come in runs */
    uint64_t salt;
} hs_name_index_t;

hs_status_t hs_name_index_init(hs_name_index_t *index); /* HS_ERR_MEMORY */
void hs_name_index_clear(hs_name_index_t *index);
/* The index of a name; *added: it is new. HS_ERR_ARGUMENT: more than
 * HS_NAME_INDEX_MAX + 1 names. HS_ERR_MEMORY. O(length) on average. */
hs_status_t hs_name_index_get(hs_name_index_t *index, const uint8_t *name, size_t length,
                              uint32_t *out, bool *added);

#endif
