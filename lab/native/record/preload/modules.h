/* Which files the addresses of stacks lie in. */
#ifndef HEAPSCOPE_RECORD_MODULES_H
#define HEAPSCOPE_RECORD_MODULES_H

#include <stdint.h>

/* Tells the recorder of the files that these return addresses lie in, each once. */
void hs_rec_modules_announce(const uint64_t *frames, unsigned count);

/* All are reported again: a file was unloaded, or there is a new recording. */
void hs_rec_modules_forget(void);

#endif
