/*
 * How to get from a return address to the one before it: out of the unwind tables that a program has
 * for exceptions (.eh_frame), or by the frame pointer without such tables. Looked up once for each
 * address and kept, so that a step is a few instructions.
 */
#ifndef HEAPSCOPE_RECORD_UNWIND_H
#define HEAPSCOPE_RECORD_UNWIND_H

#include "libc.h"

typedef enum hs_rec_base {
    HS_REC_BASE_END = 0,   /* the first frame, or nothing is known */
    HS_REC_BASE_STACK = 1, /* the caller's frame begins `frame` above the stack pointer */
    HS_REC_BASE_FRAME = 2, /* the same of the frame pointer */
    HS_REC_BASE_GUESS = 3  /* no table: as if the frame pointer were kept as one */
} hs_rec_base_t;

/* How the code at one return address keeps its frame. Its own return address lies right below the
 * caller's frame. */
typedef struct hs_rec_rule {
    uint8_t base;       /* hs_rec_base_t */
    bool keeps_pointer; /* the caller's frame pointer is at `pointer` of its frame */
    int32_t frame, pointer;
} hs_rec_rule_t;

#define HS_REC_GUESS                                                                               \
    ((hs_rec_rule_t){.base = HS_REC_BASE_GUESS,                                                    \
                     .keeps_pointer = true,                                                        \
                     .frame = 2 * (int32_t)sizeof(void *),                                         \
                     .pointer = -2 * (int32_t)sizeof(void *)})

hs_rec_rule_t hs_rec_unwind_rule(uintptr_t address); /* the code's, at a return address */

/* The rule out of a table: `address` in the program of one .eh_frame_hdr. */
hs_rec_rule_t hs_rec_table_rule(const uint8_t *header, uintptr_t address);

/* Code was unloaded: what is known of its addresses does not hold any more. */
void hs_rec_unwind_forget(void);
uint32_t hs_rec_unwind_age(void); /* how often that was */

#endif
