/* The same events for `heapscope record`, of a program on Linux; elsewhere nothing. */
#ifndef HEAPSCOPE_RUST_RECORD_H
#define HEAPSCOPE_RUST_RECORD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* 1: rust_record.c is compiled. */
#ifndef HS_RUST_RECORD
#define HS_RUST_RECORD 0
#endif

#if HS_RUST_RECORD
void hs_rust_record_block(const void *block, size_t size, unsigned align_log2, bool cleared);
void hs_rust_record_freed(const void *block);
void hs_rust_record_resize(const void *block);
void hs_rust_record_resized(const void *block, size_t size);
#else
static inline void hs_rust_record_block(const void *block, size_t size, unsigned align_log2,
                                        bool cleared)
{
    (void)block;
    (void)size;
    (void)align_log2;
    (void)cleared;
}

static inline void hs_rust_record_freed(const void *block)
{
    (void)block;
}

static inline void hs_rust_record_resize(const void *block)
{
    (void)block;
}

static inline void hs_rust_record_resized(const void *block, size_t size)
{
    (void)block;
    (void)size;
}
#endif

#endif
