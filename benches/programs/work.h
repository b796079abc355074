/* The work that a program does, in rounds; one file work_*.c is linked. */
#ifndef HEAPSCOPE_PROGRAMS_WORK_H
#define HEAPSCOPE_PROGRAMS_WORK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* `script` is the path of what the program runs, where it runs something. A message, or NULL: it began. */
const char *work_start(const char *script);

/* One more round, each another one. A message, or NULL. Where memory was refused, a round may fail. */
const char *work_round(uint32_t round);

/* Gives everything back. */
void work_end(void);

/* The results of all rounds go into one number, which must be the same on each heap. */
void work_note(const void *bytes, size_t size);

/* For a message that a library gives. */
const char *work_message(const char *text);

/* Random numbers by the round. */
uint32_t work_random(uint64_t *state);

#endif
