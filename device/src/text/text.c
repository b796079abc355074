/* Characters one by one: numbers without division by anything but ten, no buffer beyond 20 digits. */
#include "heapscope/text.h"

static void put_in_buffer(void *context, char character)
{
    hs_text_buffer_t *const buffer = context;
    if (buffer->length + 1 < buffer->size) {
        buffer->at[buffer->length] = character;
        buffer->at[buffer->length + 1] = 0;
    }
    buffer->length++;
}

hs_text_t hs_text_to(hs_text_buffer_t *buffer)
{
    buffer->length = 0;
    if (buffer->size != 0) {
        buffer->at[0] = 0;
    }
    return (hs_text_t){put_in_buffer, buffer};
}

static uint32_t put_string(hs_text_t text, const char *string)
{
    uint32_t length = 0;
    for (; string != NULL && string[length] != 0; length++) {
        text.put(text.context, string[length]);
    }
    return length;
}

static void put_blanks(hs_text_t text, uint32_t from, uint32_t to)
{
    for (uint32_t i = from; i < to; i++) {
        text.put(text.context, ' ');
    }
}

void hs_text_string(hs_text_t text, const char *string)
{
    (void)put_string(text, string);
}

void hs_text_column(hs_text_t text, const char *string, uint32_t width)
{
    put_blanks(text, put_string(text, string), width);
}

void hs_text_number(hs_text_t text, size_t value, uint32_t width)
{
    char digits[20]; /* of the largest 64-bit number */
    uint32_t count = 0;
    do {
        digits[count++] = (char)('0' + value % 10);
        value /= 10;
    } while (value != 0);
    put_blanks(text, count, width);
    while (count != 0) {
        text.put(text.context, digits[--count]);
    }
}
