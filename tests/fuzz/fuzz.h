/* Declarations that the fuzz targets and their driver share. */
#ifndef HEAPSCOPE_FUZZ_H
#define HEAPSCOPE_FUZZ_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define FUZZ_REQUIRE(condition)                                                                    \
    do {                                                                                           \
        if (!(condition)) {                                                                        \
            fprintf(stderr, "%s:%d: %s does not hold\n", __FILE__, __LINE__, #condition);          \
            abort();                                                                               \
        }                                                                                          \
    } while (0)

#define FUZZ_FNV_BASIS UINT64_C(0xCBF29CE484222325)

static inline uint64_t fuzz_fnv(uint64_t digest, uint64_t value)
{
    for (int i = 0; i < 8; i++) {
        digest = (digest ^ (value >> (8 * i) & 0xFFu)) * UINT64_C(0x100000001B3);
    }
    return digest;
}

#endif
