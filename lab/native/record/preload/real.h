/*
 * The functions that the recorder stands in front of. In a preloaded object they are found by
 * dlsym, which may itself ask for memory: until then an arena serves. In an object linked into a
 * static program (HS_REC_LINKED) the linker gives them (--wrap).
 */
#ifndef HEAPSCOPE_RECORD_REAL_H
#define HEAPSCOPE_RECORD_REAL_H

#include "libc.h"

typedef struct hs_rec_real {
    void *(*malloc)(size_t);
    void *(*calloc)(size_t, size_t);
    void *(*realloc)(void *, size_t);
    void (*free)(void *);
    void *(*memalign)(size_t, size_t);
    void *(*aligned_alloc)(size_t, size_t);
    int (*posix_memalign)(void **, size_t, size_t);
    void *(*valloc)(size_t);
    void *(*pvalloc)(size_t);
} hs_rec_real_t;

extern hs_rec_real_t hs_rec_real; /* all NULL until found; malloc is set last */

/* Fills hs_rec_real. False: it is being done just now, by this thread or another. */
bool hs_rec_real_find(void);

/* The next definition of a function after ours; NULL: none. */
void *hs_rec_real_next(const char *name);

/* Whose functions they are: "glibc 2.36", "musl", or the file of another allocator. */
void hs_rec_allocator_name(char *out, size_t capacity);

/* ---- memory for those who ask before: never given back ---- */
void *hs_rec_arena_take(size_t align, size_t size); /* zeroed; NULL: too large */
bool hs_rec_arena_has(const void *block);
size_t hs_rec_arena_size(const void *block); /* readable bytes from it on */

#endif
