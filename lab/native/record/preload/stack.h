/* Call stacks, by number. */
#ifndef HEAPSCOPE_RECORD_STACK_H
#define HEAPSCOPE_RECORD_STACK_H

#include <stdint.h>

/* The number of the stack that called a memory function, from 1; 0: none is known. `frame` is
 * that function's own, by __builtin_frame_address. O(frames) where its addresses were seen before. */
uint32_t hs_rec_stack(const void *frame);

/* A fork's child: all stacks are new to its recording. */
void hs_rec_stacks_forget(void);

#endif
