/* Several cores at work on one set of regions: cores.c. */
#ifndef HEAPSCOPE_EMULATION_CORES_H
#define HEAPSCOPE_EMULATION_CORES_H

#include <stdbool.h>
#include <stdint.h>

#define CORES_MAX 4u

/* The number of the core that calls: the surroundings have it. */
uint32_t cores_self(void);

/* `level`: of the guard, plus one. `owners`: 0, or blocks know whose they are. False: no memory. */
bool cores_prepare(uint32_t level, uint32_t owners);
/* Each core calls it: the number of things that were wrong. */
uint32_t cores_work(uint32_t core, uint32_t seed, uint32_t rounds);
/* When all are done: 0, or what is wrong. */
uint32_t cores_verify(void);

/* One change of the set, between whose instructions another core asks. First all is filled but for the
 * room that the record of a region takes. */
bool cores_fill(void);
uint32_t cores_change(uint32_t adds); /* 1: a region is added; 0: start-up stacks come into use */
/* Another core asks meanwhile. 0: something is wrong; 1: no block yet; 2: a block. */
uint32_t cores_probe(void);

#endif
