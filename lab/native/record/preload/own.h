/* The allocators that a program brings along. */
#ifndef HEAPSCOPE_RECORD_OWN_CALLS_H
#define HEAPSCOPE_RECORD_OWN_CALLS_H

#include <stdbool.h>

/* Whether the program is linked with the file that tells of them. O(1). */
bool hs_rec_own_is_wrapped(void);

#endif
