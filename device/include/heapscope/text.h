/*
 * Text without printf: meminfo and dumps are written through it, character by character. No
 * allocation, no libc, no floating point.
 */
#ifndef HEAPSCOPE_TEXT_H
#define HEAPSCOPE_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Takes the next character, as a serial port does. */
typedef struct hs_text {
    void (*put)(void *context, char character);
    void *context;
} hs_text_t;

/* A text in the caller's memory, always terminated where `size` is not 0. Characters that do not fit are
 * cut off, and counted in `length`, as snprintf does. */
typedef struct hs_text_buffer {
    char *at;
    size_t size;   /* bytes at `at`, terminator included */
    size_t length; /* of the whole text so far, without terminator */
} hs_text_buffer_t;

/* Empties the buffer; the result writes into it. */
hs_text_t hs_text_to(hs_text_buffer_t *buffer);

void hs_text_string(hs_text_t text, const char *string); /* NULL: nothing */
/* In decimal, filled with blanks on the left up to `width`. */
void hs_text_number(hs_text_t text, size_t value, uint32_t width);
/* A string filled with blanks on the right up to `width`. */
void hs_text_column(hs_text_t text, const char *string, uint32_t width);

#ifdef __cplusplus
}
#endif

#endif
