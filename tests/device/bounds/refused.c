#include <stdint.h>
volatile uint32_t sink;
uint32_t (*pointer)(uint32_t);

uint32_t unbounded(uint32_t n)
{
    while (n != sink) {
        n++;
    }
    return n;
}

uint32_t unnamed(uint32_t n)
{
    while (n != sink) { /* bound: rounds */
        n++;
    }
    return n;
}

__attribute__((noinline)) uint32_t itself(uint32_t n)
{
    return n == sink ? n : itself(n - 1) * itself(sink);
}

uint32_t anywhere(uint32_t n)
{
    return pointer(n) + 1;
}

uint32_t two_entries(uint32_t n)
{
    if (n == sink) {
        goto middle;
    }
    do { /* bound: 3 */
        sink = 1;
    middle:
        sink = 2;
    } while (n != sink);
    return n;
}

uint32_t beside(uint32_t n)
{
    do { /* bound: 3 */
        while (n != sink) {
            n++;
        }
    } while (n != sink);
    return n;
}
