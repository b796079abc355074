/* System calls of the preload object, by number: none of them goes through a function that the
 * program may have replaced. errno stays as it was. */
#ifndef HEAPSCOPE_RECORD_SYSTEM_H
#define HEAPSCOPE_RECORD_SYSTEM_H

#include "libc.h"

/* The result, or the negative error number. */
int hs_rec_open(const char *path, bool to_write);
void hs_rec_close(int descriptor);
long hs_rec_read(int descriptor, void *bytes, size_t count, uint64_t offset);
long hs_rec_read_link(const char *path, char *out, size_t capacity);

/* NULL: no memory, or no such file. `descriptor` -1: memory of this process alone. */
void *hs_rec_map(int descriptor, uint64_t offset, size_t count);
void hs_rec_unmap(void *memory, size_t count);
/* Bits of `rights`: 1 read, 2 write, 4 execute. */
bool hs_rec_protect(uintptr_t page, size_t count, unsigned rights);
/* A fork's child finds the memory zeroed. False: this kernel cannot. */
bool hs_rec_wipe_on_fork(void *memory, size_t count);

void hs_rec_wait(void *word, uint32_t value, unsigned milliseconds);
void hs_rec_wake(void *word);

uint32_t hs_rec_pid(void);
bool hs_rec_is_main_thread(void);
bool hs_rec_is_alive(uint32_t pid);
void hs_rec_thread_name(uint64_t name[2]); /* of this thread, 16 bytes with zeros */

#endif
