#include <stdint.h>
volatile uint32_t sink;
#define THREE 3

uint32_t straight(uint32_t n)
{
    return n * 3 + 1;
}

uint32_t chosen(uint32_t n)
{
    if (n > 5) {
        sink = 1;
        sink = 2;
        sink = 3;
    }
    return n;
}

uint32_t counted(uint32_t n)
{
    for (uint32_t i = 0; i < n && i < 7; i++) { /* bound: 7 */
        sink = i;
    }
    return n;
}

uint32_t at_least_once(uint32_t n)
{
    uint32_t i = 0;
    do { /* bound: 2 * THREE */
        sink = i;
    } while (++i < 6 && i < n);
    return i;
}

uint32_t nested(uint32_t n)
{
    /* bound: 4 */
    for (uint32_t i = 0; i < 4 && i < n; i++) {
        for (uint32_t j = 0; j < 5 && j < n; j++) { /* bound: 5 */
            sink = j;
        }
        sink = i;
    }
    return n;
}

__attribute__((noinline)) uint32_t told(uint32_t n, uint32_t most)
{
    for (uint32_t i = 0; i < n && i < most; i++) { /* bound: most */
        sink = i;
    }
    return sink;
}

uint32_t calling(uint32_t n)
{
    uint32_t sum = 0;
    for (uint32_t i = 0; i < 3 && i < n; i++) { /* bound: THREE */
        sum += told(n, 4);                      /* most: 4 */
    }
    sum += told(n, 9); /* most: 9 */
    return sum;
}

uint32_t in_all(uint32_t n)
{
    uint32_t left = 9;
    while (left != 0) { /* bound: 9 */
        do {            /* bound: 1 each, 8 more in all */
            sink = left;
        } while (--left != 0 && (n & left) != 0);
        sink = 1;
    }
    return left;
}

uint32_t once(uint32_t n)
{
    uint32_t sum = 0;
    for (uint32_t i = 0; i < 8 && i < n; i++) { /* bound: 8 */
        if (i == 3) {
            sum = told(n, 20); /* most: 20, calls: 1 */
        }
        sink = i;
    }
    return sum;
}
