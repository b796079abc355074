/* The memory of the heaps that are given theirs. */
#ifndef HEAPSCOPE_PROGRAMS_ARENA_H
#define HEAPSCOPE_PROGRAMS_ARENA_H

#include <stdint.h>

#define ARENA_MAX (8u << 20)

static _Alignas(4096) uint8_t arena_memory[ARENA_MAX];

#endif
