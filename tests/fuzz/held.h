/*
 * Counts the bytes that the code under test holds. Its objects are copied, and in the copy malloc and
 * its family are renamed to the functions of this file (objcopy, in CMakeLists.txt), so the code is
 * compiled once for all tests. A fuzz target that includes this file uses the same functions.
 */
#ifndef HEAPSCOPE_FUZZ_HELD_H
#define HEAPSCOPE_FUZZ_HELD_H

#include <stddef.h>
#include <stdlib.h>

void *hs_held_malloc(size_t size);
void *hs_held_calloc(size_t count, size_t size);
void *hs_held_realloc(void *memory, size_t size);
void hs_held_free(void *memory);

size_t hs_held_now(void);         /* bytes held */
size_t hs_held_peak(void);        /* most since the last reset */
size_t hs_held_calls(void);       /* requests since the last reset */
void hs_held_reset(void);         /* peak = now, calls = 0, no failure is ordered */
void hs_held_fail_at(size_t nth); /* the nth request (from 1) since the reset and all later fail */

/* A file that needs the system's own defines this before the first include. */
#if !defined(HS_HELD_ITSELF)
#define malloc hs_held_malloc
#define calloc hs_held_calloc
#define realloc hs_held_realloc
#define free hs_held_free
#endif

#endif
