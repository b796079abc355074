/*
 * The functions that compilers call of their own accord, in the form of a chip's C library: whole words where both
 * sides are aligned. A loop is kept from becoming a call of the function that it stands in by
 * -fno-builtin and -fno-tree-loop-distribute-patterns.
 */
#include <stddef.h>
#include <stdint.h>

void *memcpy(void *restrict to, const void *restrict from, size_t count);
void *memmove(void *to, const void *from, size_t count);
void *memset(void *to, int value, size_t count);

static int are_words(const void *to, const void *from, size_t count)
{
    return (((uintptr_t)to | (uintptr_t)from | count) & 3) == 0;
}

static void *ascending(void *to, const void *from, size_t count)
{
    if (are_words(to, from, count)) {
        uint32_t *out = to;
        const uint32_t *in = from;
        for (size_t i = 0; i < count / 4; i++) {
            out[i] = in[i];
        }
    } else {
        uint8_t *out = to;
        const uint8_t *in = from;
        for (size_t i = 0; i < count; i++) {
            out[i] = in[i];
        }
    }
    return to;
}

static void *descending(void *to, const void *from, size_t count)
{
    if (are_words(to, from, count)) {
        uint32_t *out = to;
        const uint32_t *in = from;
        for (size_t i = count / 4; i > 0; i--) {
            out[i - 1] = in[i - 1];
        }
    } else {
        uint8_t *out = to;
        const uint8_t *in = from;
        for (size_t i = count; i > 0; i--) {
            out[i - 1] = in[i - 1];
        }
    }
    return to;
}

void *memcpy(void *restrict to, const void *restrict from, size_t count)
{
    return ascending(to, from, count);
}

void *memmove(void *to, const void *from, size_t count)
{
    return (uintptr_t)to <= (uintptr_t)from ? ascending(to, from, count)
                                            : descending(to, from, count);
}

void *memset(void *to, int value, size_t count)
{
    if (are_words(to, to, count)) {
        uint32_t *out = to;
        for (size_t i = 0; i < count / 4; i++) {
            out[i] = (uint8_t)value * UINT32_C(0x01010101);
        }
    } else {
        uint8_t *out = to;
        for (size_t i = 0; i < count; i++) {
            out[i] = (uint8_t)value;
        }
    }
    return to;
}
