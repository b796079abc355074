/* memcpy, memmove and memset of programs: by words wherever that can be, as tests fill and compare
 * whole regions. Those of counted code are in copying.c. */
#include <stdint.h>
#include <string.h>

typedef uint32_t __attribute__((may_alias)) word_t;

static int are_words(const void *to, const void *from)
{
    return (((uintptr_t)to ^ (uintptr_t)from) & 3) == 0;
}

void *memmove(void *to, const void *from, size_t count)
{
    uint8_t *out = to;
    const uint8_t *in = from;
    if ((uintptr_t)to - (uintptr_t)from >= count) { /* ascending is safe */
        if (are_words(to, from)) {
            for (; count > 0 && (uintptr_t)out % 4 != 0; count--) { /* bound: 3 */
                *out++ = *in++;
            }
            for (; count >= 4; count -= 4, out += 4, in += 4) { /* bound: count / 4 */
                *(word_t *)(void *)out = *(const word_t *)(const void *)in;
            }
        }
        while (count-- > 0) { /* bound: count */
            *out++ = *in++;
        }
        return to;
    }
    while (count-- > 0) { /* bound: count */
        out[count] = in[count];
    }
    return to;
}

void *memcpy(void *restrict to, const void *restrict from, size_t count)
{
    return memmove(to, from, count); /* count: count */
}

void *memset(void *to, int value, size_t count)
{
    const uint32_t four = (uint8_t)value * UINT32_C(0x01010101);
    uint8_t *out = to;
    for (; count > 0 && (uintptr_t)out % 4 != 0; count--) { /* bound: 3 */
        *out++ = (uint8_t)value;
    }
    for (; count >= 16; count -= 16, out += 16) { /* bound: count / 16 */
        word_t *const words = (word_t *)(void *)out;
        words[0] = four;
        words[1] = four;
        words[2] = four;
        words[3] = four;
    }
    while (count-- > 0) { /* bound: 15 */
        *out++ = (uint8_t)value;
    }
    return to;
}
