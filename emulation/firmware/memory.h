/* The firmware's heap: the board's regions behind malloc and its kin (stdlib.h), each call recorded. */
#ifndef FIRMWARE_MEMORY_H
#define FIRMWARE_MEMORY_H

#include <stddef.h>
#include <stdint.h>

/* Makes the heap and begins the recording. */
void memory_open(void);
/* `caps` 0: those of malloc. From an interrupt, too. NULL: no room. */
void *memory_take(size_t size, uint32_t caps);
/* Prints what each set of capabilities has at this moment and which blocks are used, a mark of the
 * recording. `name` is a
 * literal. */
void memory_mark(const char *name);

_Noreturn void firmware_main(void);

#endif
