/*
 * Allocator names: every model and our own heap, each with its flavours.
 *
 * A name is a model's, then "+light" for light poisoning, "+full" for comprehensive poisoning,
 * "+track" for task tracking and, of our own heap, "+guard1" to "+guard3" for its guard, in any order,
 * where the model has them. ESP-IDF up to v5.1 tracks tasks only with poisoning, so that
 * "idf-4.2+track" and "idf-4.2+light+track" are the same, and "+light+full" is "+full";
 * and so are "heapscope+guard1" and "heapscope+guard1+track", whose blocks know their owners anyway.
 *
 * "fixed:64:8" is a pool of fixed blocks, of 64 bytes at multiples of 8. It parses and is in no list,
 * since it serves one size alone.
 */
#ifndef HEAPSCOPE_NATIVE_ALLOCATORS_H
#define HEAPSCOPE_NATIVE_ALLOCATORS_H

#include "model.h"

/* HS_ERR_ARGUMENT: no such allocator. */
hs_status_t hs_allocator_parse(const char *name, hs_allocator_t *out);
/* The index-th allocator's name, flavours included and each once, or NULL behind the last. Static
 * strings. */
const char *hs_allocator_name(size_t index);
/* The name of the model, plain, that places blocks as the one does that is so called, or NULL: there is no
 * such name. */
const char *hs_allocator_places_as(const char *name);
/* That name for any spelling that parses, or NULL. */
const char *hs_allocator_find(const char *name);

#endif
