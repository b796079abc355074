#include "numbers.h"

#include <ctype.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define DIGITS 18

int tolower(int letter)
{
    return letter >= 'A' && letter <= 'Z' ? letter + ('a' - 'A') : letter;
}

static bool is_digit(char letter)
{
    return letter >= '0' && letter <= '9';
}

/* An exponent, or nothing where no digit follows. */
static const char *read_exponent(const char *text, int *exponent)
{
    const char *at = text + 1;
    const bool negative = *at == '-';
    at += *at == '-' || *at == '+';
    if (!is_digit(*at)) {
        return text;
    }
    int value = 0;
    for (; is_digit(*at); at++) {
        value = value < 1000 ? value * 10 + (*at - '0') : value;
    }
    *exponent += negative ? -value : value;
    return at;
}

static double scale(double value, int exponent)
{
    double power = 1;
    for (int i = exponent < 0 ? -exponent : exponent; i > 0 && i < 700; i--) {
        power *= 10;
    }
    return exponent < 0 ? value / power : value * power;
}

double strtod(const char *text, char **end)
{
    const char *at = text;
    const bool negative = *at == '-';
    at += negative;
    uint64_t digits = 0;
    int exponent = 0, count = 0;
    bool fraction = false, any = false;
    for (; is_digit(*at) || (*at == '.' && !fraction); at++) {
        if (*at == '.') {
            fraction = true;
            continue;
        }
        any = true;
        if (count < DIGITS) {
            digits = digits * 10 + (uint64_t)(*at - '0');
            count += digits != 0;
            exponent -= fraction;
        } else {
            exponent += !fraction;
        }
    }
    if (any && (*at == 'e' || *at == 'E')) {
        at = read_exponent(at, &exponent);
    }
    if (end != NULL) {
        *end = (char *)(uintptr_t)(any ? at : text);
    }
    const double value = scale((double)digits, exponent);
    return negative ? -value : value;
}
