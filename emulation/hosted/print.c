/* printf and its kin, as far as tests use them. */
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "hosted.h"

typedef struct out {
    char *text; /* NULL: to the program's output */
    size_t size;
    size_t count; /* written, or that would have been */
} out_t;

typedef struct spec {
    bool left, zero, plus, space, alternative;
    int width;
    int precision; /* -1: none */
    int longs;     /* l: 1, ll: 2, h: -1, hh: -2 */
} spec_t;

static void put(out_t *out, char byte)
{
    if (out->text == NULL) {
        hosted_write(byte);
    } else if (out->count + 1 < out->size) {
        out->text[out->count] = byte;
    }
    out->count++;
}

static void pad(out_t *out, char byte, int count)
{
    for (int i = 0; i < count; i++) {
        put(out, byte);
    }
}

static void put_field(out_t *out, const spec_t *spec, const char *prefix, const char *text,
                      int length, int zeros)
{
    const int lead = (int)strlen(prefix);
    int room = spec->width - lead - length - zeros;
    if (spec->zero && !spec->left && room > 0) {
        zeros += room;
        room = 0;
    }
    pad(out, ' ', spec->left ? 0 : room);
    for (int i = 0; i < lead; i++) {
        put(out, prefix[i]);
    }
    pad(out, '0', zeros);
    for (int i = 0; i < length; i++) {
        put(out, text[i]);
    }
    pad(out, ' ', spec->left ? room : 0);
}

static void put_number(out_t *out, spec_t *spec, uint64_t value, bool negative, unsigned base,
                       bool capitals, const char *prefix)
{
    const char *const digits = capitals ? "0123456789ABCDEF" : "0123456789abcdef";
    char text[24];
    int length = 0;
    for (uint64_t rest = value; rest != 0; rest /= base) {
        length++;
        text[sizeof text - (size_t)length] = digits[rest % base];
    }
    const int least = spec->precision < 0 ? 1 : spec->precision;
    if (spec->precision >= 0) {
        spec->zero = false;
    }
    const char *const sign = negative ? "-" : spec->plus ? "+" : spec->space ? " " : "";
    put_field(out, spec, prefix[0] != 0 ? prefix : sign, text + sizeof text - (size_t)length,
              length, length < least ? least - length : 0);
}

static uint64_t take_unsigned(const spec_t *spec, va_list *arguments)
{
    switch (spec->longs) {
    case 2:
        return va_arg(*arguments, unsigned long long);
    case 1:
        return va_arg(*arguments, unsigned long);
    case -1:
        return (unsigned short)va_arg(*arguments, unsigned int);
    case -2:
        return (unsigned char)va_arg(*arguments, unsigned int);
    default:
        return va_arg(*arguments, unsigned int);
    }
}

static int64_t take_signed(const spec_t *spec, va_list *arguments)
{
    switch (spec->longs) {
    case 2:
        return va_arg(*arguments, long long);
    case 1:
        return va_arg(*arguments, long);
    case -1:
        return (short)va_arg(*arguments, int);
    case -2:
        return (signed char)va_arg(*arguments, int);
    default:
        return va_arg(*arguments, int);
    }
}

static const char *read_flags(const char *at, spec_t *spec)
{
    for (;; at++) {
        switch (*at) {
        case '-':
            spec->left = true;
            break;
        case '0':
            spec->zero = true;
            break;
        case '+':
            spec->plus = true;
            break;
        case ' ':
            spec->space = true;
            break;
        case '#':
            spec->alternative = true;
            break;
        default:
            return at;
        }
    }
}

static const char *read_int(const char *at, int *value, va_list *arguments)
{
    if (*at == '*') {
        *value = va_arg(*arguments, int);
        return at + 1;
    }
    for (*value = 0; *at >= '0' && *at <= '9'; at++) {
        *value = *value * 10 + (*at - '0');
    }
    return at;
}

static const char *read_length(const char *at, spec_t *spec)
{
    for (;; at++) {
        if (*at == 'l') {
            spec->longs++;
        } else if (*at == 'h') {
            spec->longs--;
        } else if (*at == 'j') {
            spec->longs = 2;
        } else if (*at != 'z' && *at != 't') { /* those are as wide as an int here */
            return at;
        }
    }
}

static void put_text(out_t *out, spec_t *spec, const char *text)
{
    text = text != NULL ? text : "(null)";
    int length = 0;
    while ((spec->precision < 0 || length < spec->precision) && text[length] != 0) {
        length++;
    }
    spec->zero = false;
    put_field(out, spec, "", text, length, 0);
}

static void convert(out_t *out, spec_t *spec, char kind, va_list *arguments)
{
    uint64_t value;
    int64_t given;
    char byte;
    switch (kind) {
    case 'd':
    case 'i':
        given = take_signed(spec, arguments);
        put_number(out, spec, given < 0 ? 0 - (uint64_t)given : (uint64_t)given, given < 0, 10,
                   false, "");
        break;
    case 'u':
        spec->plus = spec->space = false;
        put_number(out, spec, take_unsigned(spec, arguments), false, 10, false, "");
        break;
    case 'o':
        put_number(out, spec, take_unsigned(spec, arguments), false, 8, false, "");
        break;
    case 'x':
    case 'X':
        value = take_unsigned(spec, arguments);
        put_number(out, spec, value, false, 16, kind == 'X',
                   !spec->alternative || value == 0 ? ""
                   : kind == 'X'                    ? "0X"
                                                    : "0x");
        break;
    case 'p':
        put_number(out, spec, (uintptr_t)va_arg(*arguments, void *), false, 16, false, "0x");
        break;
    case 's':
        put_text(out, spec, va_arg(*arguments, const char *));
        break;
    case 'c':
        byte = (char)va_arg(*arguments, int);
        put_field(out, spec, "", &byte, 1, 0);
        break;
    default: /* '%', and what is not known: as it stands */
        put(out, kind);
    }
}

static void format_to(out_t *out, const char *at, va_list *arguments)
{
    while (*at != 0) {
        if (*at != '%') {
            put(out, *at++);
            continue;
        }
        spec_t spec = {.precision = -1};
        at = read_flags(at + 1, &spec);
        at = read_int(at, &spec.width, arguments);
        if (spec.width < 0) {
            spec.left = true;
            spec.width = -spec.width;
        }
        if (*at == '.') {
            at = read_int(at + 1, &spec.precision, arguments);
        }
        at = read_length(at, &spec);
        if (*at == 0) {
            return;
        }
        convert(out, &spec, *at++, arguments);
    }
}

int vsnprintf(char *text, size_t size, const char *format, va_list arguments)
{
    char nothing;
    out_t out = {size != 0 ? text : &nothing, size, 0};
    va_list copy;
    va_copy(copy, arguments);
    format_to(&out, format, &copy);
    va_end(copy);
    if (size != 0) {
        text[out.count < size ? out.count : size - 1] = 0;
    }
    return (int)out.count;
}

int vprintf(const char *format, va_list arguments)
{
    out_t out = {NULL, 0, 0};
    va_list copy;
    va_copy(copy, arguments);
    format_to(&out, format, &copy);
    va_end(copy);
    return (int)out.count;
}

int vfprintf(FILE *file, const char *format, va_list arguments)
{
    (void)file;
    return vprintf(format, arguments);
}

#define WITH_ARGUMENTS(result, last, call)                                                         \
    va_list arguments;                                                                             \
    va_start(arguments, last);                                                                     \
    const int result = call;                                                                       \
    va_end(arguments);                                                                             \
    return result

int printf(const char *format, ...)
{
    WITH_ARGUMENTS(count, format, vprintf(format, arguments));
}

int fprintf(FILE *file, const char *format, ...)
{
    WITH_ARGUMENTS(count, format, vfprintf(file, format, arguments));
}

int snprintf(char *text, size_t size, const char *format, ...)
{
    WITH_ARGUMENTS(count, format, vsnprintf(text, size, format, arguments));
}

int putchar(int byte)
{
    hosted_write((char)byte);
    return byte;
}

int fputc(int byte, FILE *file)
{
    (void)file;
    return putchar(byte);
}

int fputs(const char *text, FILE *file)
{
    (void)file;
    while (*text != 0) {
        hosted_write(*text++);
    }
    return 0;
}

int puts(const char *text)
{
    fputs(text, stdout);
    return putchar('\n');
}

int fflush(FILE *file)
{
    (void)file;
    return 0;
}
