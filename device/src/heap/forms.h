/* The operations of the forms: operations.h says what each does; arguments are checked by heap.c. */
#ifndef HEAPSCOPE_HEAP_FORMS_H
#define HEAPSCOPE_HEAP_FORMS_H

#include "layout.h"

/* Each form has its own code where speed counts. Both have one where size does; malloc, realloc, free and
 * largest are then the public functions. */
#define HS_FORMS_APART (HS_WIDE && !HS_LEAN)

#if HS_FORMS_APART
#define HS_SMALL(operation) hs_small_##operation
#define HS_WIDENED(operation) hs_wide_##operation
#else
#define HS_SMALL(operation) hs_heap_##operation
#endif

/* The lean heap is one unit, lean.c, so that what its files share is there once: 0 in the files alone. */
#ifndef HS_LEAN_UNIT
#define HS_LEAN_UNIT 0
#endif
#define HS_COMPILED (!HS_LEAN || HS_LEAN_UNIT)

/* Those that heap.c calls for the public functions, and that are its unit's own where the heap is one. */
#if HS_LEAN_UNIT
#define HS_OF_UNIT static
#else
#define HS_OF_UNIT
#endif

#define HS_FORM_OPERATIONS(NAME)                                                                   \
    HS_OF_UNIT void NAME(start)(hs_heap_t * heap, uint32_t first);                                 \
    HS_OF_UNIT void *NAME(aligned)(hs_heap_t * heap, uint32_t alignment, size_t size,              \
                                   uint32_t offset);                                               \
    HS_OF_UNIT bool NAME(finds)(const hs_heap_t *heap, uint32_t alignment, size_t size,            \
                                uint32_t offset);                                                  \
    void *NAME(malloc)(hs_heap_t * heap, size_t size);                                             \
    void *NAME(realloc)(hs_heap_t * heap, void *address, size_t size);                             \
    hs_status_t NAME(free)(hs_heap_t * heap, void *address);                                       \
    size_t NAME(largest)(const hs_heap_t *heap) /* bytes */

#if HS_COMPILED
HS_FORM_OPERATIONS(HS_SMALL);
#endif
#if HS_FORMS_APART
HS_FORM_OPERATIONS(HS_WIDENED);
#endif

#endif
