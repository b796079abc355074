/* The operations of both forms: operations.h says what each does; arguments are checked by heap.c. */
#ifndef HEAPSCOPE_HEAP_FORMS_H
#define HEAPSCOPE_HEAP_FORMS_H

#include "layout.h"

#define HS_FORM_OPERATIONS(NAME)                                                                   \
    void NAME(start)(hs_heap_t * heap, uint32_t first);                                            \
    void *NAME(malloc)(hs_heap_t * heap, size_t size);                                             \
    void *NAME(aligned)(hs_heap_t * heap, uint32_t alignment, size_t size, uint32_t offset);       \
    void *NAME(realloc)(hs_heap_t * heap, void *address, size_t size);                             \
    hs_status_t NAME(free)(hs_heap_t * heap, void *address);                                       \
    bool NAME(fits)(const hs_heap_t *heap, uint32_t alignment, size_t size, uint32_t offset);      \
    uint32_t NAME(largest)(const hs_heap_t *heap) /* bytes */

#define HS_SMALL(operation) hs_small_##operation
#define HS_WIDE(operation) hs_wide_##operation
HS_FORM_OPERATIONS(HS_SMALL);
HS_FORM_OPERATIONS(HS_WIDE);

#endif
