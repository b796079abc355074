/* Strings and numbers; memcpy, memmove and memset are in bytes.c. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int memcmp(const void *one, const void *other, size_t count)
{
    const uint8_t *a = one;
    const uint8_t *b = other;
    for (size_t i = 0; i < count; i++) {
        if (a[i] != b[i]) {
            return a[i] - b[i];
        }
    }
    return 0;
}

void *memchr(const void *from, int byte, size_t count)
{
    const uint8_t *at = from;
    for (size_t i = 0; i < count; i++) {
        if (at[i] == (uint8_t)byte) {
            return (void *)(uintptr_t)(at + i);
        }
    }
    return NULL;
}

size_t strlen(const char *text)
{
    size_t length = 0;
    while (text[length] != 0) {
        length++;
    }
    return length;
}

int strncmp(const char *one, const char *other, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (one[i] != other[i] || one[i] == 0) {
            return (uint8_t)one[i] - (uint8_t)other[i];
        }
    }
    return 0;
}

int strcmp(const char *one, const char *other)
{
    return strncmp(one, other, SIZE_MAX);
}

char *strchr(const char *text, int byte)
{
    while (*text != (char)byte && *text != 0) {
        text++;
    }
    return *text == (char)byte ? (char *)(uintptr_t)text : NULL;
}

char *strstr(const char *text, const char *part)
{
    const size_t length = strlen(part);
    for (; *text != 0 || length == 0; text++) {
        if (strncmp(text, part, length) == 0) {
            return (char *)(uintptr_t)text;
        }
    }
    return NULL;
}

char *strcpy(char *restrict to, const char *restrict from)
{
    memcpy(to, from, strlen(from) + 1);
    return to;
}

char *strncpy(char *restrict to, const char *restrict from, size_t count)
{
    size_t i = 0;
    for (; i < count && from[i] != 0; i++) {
        to[i] = from[i];
    }
    memset(to + i, 0, count - i);
    return to;
}

char *strcat(char *restrict to, const char *restrict from)
{
    strcpy(to + strlen(to), from);
    return to;
}

static unsigned digit(char byte)
{
    if (byte >= '0' && byte <= '9') {
        return (unsigned)(byte - '0');
    }
    byte = (char)(byte | 0x20);
    return byte >= 'a' && byte <= 'z' ? (unsigned)(byte - 'a') + 10 : 99;
}

unsigned long long strtoull(const char *text, char **end, int base)
{
    const char *at = text;
    if (at[0] == '0' && (at[1] | 0x20) == 'x' && (base == 0 || base == 16)) {
        at += 2;
        base = 16;
    }
    base = base == 0 ? 10 : base;
    unsigned long long value = 0;
    for (; digit(*at) < (unsigned)base; at++) {
        value = value * (unsigned)base + digit(*at);
    }
    if (end != NULL) {
        *end = (char *)(uintptr_t)at;
    }
    return value;
}

unsigned long strtoul(const char *text, char **end, int base)
{
    return (unsigned long)strtoull(text, end, base);
}

int atoi(const char *text)
{
    const int sign = *text == '-' ? -1 : 1;
    return sign * (int)strtoul(text + (sign < 0), NULL, 10);
}

int abs(int value)
{
    return value < 0 ? -value : value;
}

char *getenv(const char *name)
{
    (void)name;
    return NULL;
}

static void swap(uint8_t *one, uint8_t *other, size_t size)
{
    for (size_t i = 0; i < size; i++) {
        const uint8_t byte = one[i];
        one[i] = other[i];
        other[i] = byte;
    }
}

/* Heap sort: no recursion, no memory. */
void qsort(void *items, size_t count, size_t size, int (*order)(const void *, const void *))
{
    uint8_t *const base = items;
    size_t start = count / 2;
    for (size_t end = count; end > 1;) {
        if (start > 0) {
            start--;
        } else {
            end--;
            swap(base, base + end * size, size);
        }
        for (size_t root = start; 2 * root + 1 < end;) {
            size_t child = 2 * root + 1;
            if (child + 1 < end && order(base + child * size, base + (child + 1) * size) < 0) {
                child++;
            }
            if (order(base + root * size, base + child * size) >= 0) {
                break;
            }
            swap(base + root * size, base + child * size, size);
            root = child;
        }
    }
}
