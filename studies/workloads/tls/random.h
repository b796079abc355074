/* Numbers that repeat, where a device has true random ones. SplitMix64; never for real keys. */
#ifndef HEAPSCOPE_WORKLOADS_TLS_RANDOM_H
#define HEAPSCOPE_WORKLOADS_TLS_RANDOM_H

#include <stddef.h>
#include <stdint.h>

/* Fills `out`; `state` is a uint64_t, the seed at first. The type that mbedTLS calls; returns 0. */
int hs_random_fill(void *state, unsigned char *out, size_t count);

#endif
