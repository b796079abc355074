/* The arithmetic that Debian's libgcc for the LX106 leaves to the ROM of that chip. */
#include <stdint.h>

typedef struct division {
    uint64_t quotient, rest;
} division_t;

uint32_t __udivsi3(uint32_t one, uint32_t other);
uint32_t __umodsi3(uint32_t one, uint32_t other);
int32_t __divsi3(int32_t one, int32_t other);
uint64_t __udivdi3(uint64_t one, uint64_t other);
uint64_t __umoddi3(uint64_t one, uint64_t other);
int64_t __divdi3(int64_t one, int64_t other);
int64_t __muldi3(int64_t one, int64_t other);

/* Bit by bit; the quotient is all ones where the divisor is 0. */
static division_t divide(uint64_t value, uint64_t by, uint32_t bits)
{
    division_t built = {0, 0};
    for (uint32_t i = bits; i-- > 0;) {
        built.rest = built.rest << 1 | (value >> i & 1u);
        built.quotient <<= 1;
        if (built.rest >= by) {
            built.rest -= by;
            built.quotient |= 1u;
        }
    }
    return built;
}

uint32_t __udivsi3(uint32_t one, uint32_t other)
{
    return (uint32_t)divide(one, other, 32).quotient;
}

uint32_t __umodsi3(uint32_t one, uint32_t other)
{
    return (uint32_t)divide(one, other, 32).rest;
}

int32_t __divsi3(int32_t one, int32_t other)
{
    return (int32_t)__divdi3(one, other);
}

uint64_t __udivdi3(uint64_t one, uint64_t other)
{
    return divide(one, other, 64).quotient;
}

uint64_t __umoddi3(uint64_t one, uint64_t other)
{
    return divide(one, other, 64).rest;
}

int64_t __divdi3(int64_t one, int64_t other)
{
    const uint64_t positive = one < 0 ? 0 - (uint64_t)one : (uint64_t)one;
    const uint64_t by = other < 0 ? 0 - (uint64_t)other : (uint64_t)other;
    const uint64_t quotient = divide(positive, by, 64).quotient;
    return (int64_t)((one < 0) != (other < 0) ? 0 - quotient : quotient);
}

int64_t __muldi3(int64_t one, int64_t other)
{
    uint64_t left = (uint64_t)one, right = (uint64_t)other, product = 0;
    for (; right != 0; right >>= 1, left <<= 1) {
        product += (right & 1u) != 0 ? left : 0;
    }
    return (int64_t)product;
}
