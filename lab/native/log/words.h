/* The words in which programs tell a heap's figures. Private. */
#ifndef HEAPSCOPE_LOG_WORDS_H
#define HEAPSCOPE_LOG_WORDS_H

#include <stddef.h>
#include <stdint.h>

/* A word says this about the number that it belongs to. */
#define HS_WORD_FREE 1u
#define HS_WORD_LARGEST 2u /* "largest": a block, even without that word */
#define HS_WORD_MAX 4u     /* "max": a block only beside that word */
#define HS_WORD_MIN 8u
#define HS_WORD_TOTAL 16u
#define HS_WORD_USED 32u
#define HS_WORD_PEAK 64u
#define HS_WORD_HEAP 128u
#define HS_WORD_BLOCK 256u
#define HS_WORD_COUNT 512u    /* a number of things, and not bytes */
#define HS_WORD_OTHER 1024u   /* flash, stacks, files: not a heap */
#define HS_WORD_FOREIGN 2048u /* memory of other machines */
#define HS_WORD_CHANGE 4096u  /* a difference */
#define HS_WORD_LOW 8192u
#define HS_WORD_MARK 32768u   /* "watermark": a minimum if it is low */
#define HS_WORD_MEMORY 16384u /* the name of a kind of memory */
#define HS_WORD_FAIL 131072u  /* "failed": no figure, until the clause speaks of what is free */
#define HS_WORD_ALLOC 65536u  /* "max alloc": a block; "alloc" beside what is free: in use */

typedef struct hs_log_word {
    uint32_t means; /* HS_WORD_*; 0: an unknown word */
    uint8_t memory; /* hs_log_memory_t, with HS_WORD_MEMORY */
} hs_log_word_t;

/* A word of letters and digits, in any case; "freeheap" and "getFreeHeap" are taken apart. */
hs_log_word_t hs_log_word_find(const char *text, size_t length);

#endif
