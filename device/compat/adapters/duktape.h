/*
 * Duktape on a private heap: three functions of duk_create_heap(), the heap as `heap_udata`.
 *
 *     duk_create_heap(hs_duktape_alloc, hs_duktape_realloc, hs_duktape_free, script_heap, fatal);
 *
 * Needs no header of Duktape's: duk_size_t is a size_t.
 */
#ifndef HEAPSCOPE_ADAPTERS_DUKTAPE_H
#define HEAPSCOPE_ADAPTERS_DUKTAPE_H

#include "heapscope/private.h"

#ifdef __cplusplus
extern "C" {
#endif

/* `udata`: an hs_private_t. NULL makes Duktape collect garbage and try again, up to ten times. */
void *hs_duktape_alloc(void *udata, size_t size);
void *hs_duktape_realloc(void *udata, void *block, size_t size);
void hs_duktape_free(void *udata, void *block);

#ifdef __cplusplus
}
#endif

#endif
