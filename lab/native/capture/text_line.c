#include "text_line.h"

#include <stdbool.h>
#include <string.h>

#include "heapscope/trace.h"

#define NUMBER_MAX (UINT64_C(1) << 63)
#define ALIGN_MAX (UINT64_C(1) << 31)

typedef struct hs_text_cursor {
    const uint8_t *at;
    const uint8_t *end;
} hs_text_cursor_t;

static bool blank(uint8_t byte)
{
    return byte == ' ' || byte == '\t' || byte == '\r';
}

static bool digit(uint8_t byte)
{
    return byte >= '0' && byte <= '9';
}

static void trim(hs_text_cursor_t *cursor)
{
    while (cursor->at < cursor->end && blank(*cursor->at)) {
        cursor->at++;
    }
    while (cursor->at < cursor->end && blank(cursor->end[-1])) {
        cursor->end--;
    }
}

/* A number after at least one blank. */
static bool number_read(hs_text_cursor_t *cursor, uint64_t *value)
{
    const uint8_t *start = cursor->at;
    while (cursor->at < cursor->end && blank(*cursor->at)) {
        cursor->at++;
    }
    if (cursor->at == start || cursor->at == cursor->end || !digit(*cursor->at)) {
        return false;
    }
    uint64_t number = 0;
    for (; cursor->at < cursor->end && digit(*cursor->at); cursor->at++) {
        const unsigned next = *cursor->at - (unsigned)'0';
        if (number > (NUMBER_MAX - next) / 10) {
            return false;
        }
        number = number * 10 + next;
    }
    *value = number;
    return true;
}

static bool align_read(hs_text_cursor_t *cursor, uint8_t *align_log2)
{
    uint64_t align;
    if (!number_read(cursor, &align) || align == 0 || align > ALIGN_MAX ||
        (align & (align - 1)) != 0) {
        return false;
    }
    *align_log2 = 0;
    while (align >> *align_log2 != 1) { /* bound: 31 */
        (*align_log2)++;
    }
    return true;
}

static bool name_read(hs_text_cursor_t *cursor, hs_text_line_t *out)
{
    if (cursor->at == cursor->end || !blank(*cursor->at)) {
        return false;
    }
    trim(cursor);
    out->name = cursor->at;
    out->length = (size_t)(cursor->end - cursor->at);
    if (out->length > HS_NAME_MAX) {
        out->length = HS_NAME_MAX;
    }
    return out->length > 0;
}

static hs_text_kind_t kind_of(uint8_t letter)
{
    switch (letter) {
    case 'a':
        return HS_TEXT_MALLOC;
    case 'c':
        return HS_TEXT_CALLOC;
    case 'm':
        return HS_TEXT_ALIGNED;
    case 'r':
        return HS_TEXT_REALLOC;
    case 'f':
        return HS_TEXT_FREE;
    case 't':
        return HS_TEXT_TASK;
    case '!':
        return HS_TEXT_MARK;
    case '#':
        return HS_TEXT_EMPTY;
    default:
        return HS_TEXT_BAD;
    }
}

static bool fields_read(hs_text_cursor_t *cursor, hs_text_line_t *out)
{
    return number_read(cursor, &out->id) &&
           (out->kind != HS_TEXT_ALIGNED || align_read(cursor, &out->align_log2)) &&
           (out->kind == HS_TEXT_FREE || number_read(cursor, &out->size)) &&
           cursor->at == cursor->end;
}

void hs_text_line_parse(const uint8_t *text, size_t length, hs_text_line_t *out)
{
    *out = (hs_text_line_t){.kind = HS_TEXT_EMPTY};
    const bool cut = length > HS_TEXT_LINE_MAX;
    hs_text_cursor_t cursor = {text, text + (cut ? HS_TEXT_LINE_MAX : length)};
    trim(&cursor);
    if (cursor.at == cursor.end) {
        out->kind = cut ? HS_TEXT_BAD : HS_TEXT_EMPTY;
        return;
    }
    out->kind = kind_of(*cursor.at++);
    bool good = out->kind != HS_TEXT_BAD;
    if (out->kind == HS_TEXT_TASK || out->kind == HS_TEXT_MARK) {
        good = name_read(&cursor, out);
    } else if (good && out->kind != HS_TEXT_EMPTY) {
        good = !cut && fields_read(&cursor, out);
    }
    if (!good) {
        out->kind = HS_TEXT_BAD;
    }
}

/* Up to 18 digits, which cannot overflow, and their separator. False: anything else. */
static inline bool quick_number(const uint8_t **at, uint8_t separator, uint64_t *value)
{
    const uint8_t *byte = *at;
    uint64_t number = (uint64_t)*byte - '0';
    if (number > 9) {
        return false;
    }
    const uint8_t *limit = byte + 18;
    for (byte++; byte < limit; byte++) {
        const unsigned next = *byte - (unsigned)'0';
        if (next > 9) {
            break;
        }
        number = number * 10 + next;
    }
    *value = number;
    *at = byte + 1;
    return *byte == separator;
}

size_t hs_text_line_quick(const uint8_t *text, hs_text_line_t *out)
{
    const uint8_t *at =
        text + 2; /* letter, blank, 18 digits, blank, 18 digits, newline: 40 bytes */
    if (text[1] != ' ') {
        return 0;
    }
    switch (text[0]) {
    case 'f':
        out->kind = HS_TEXT_FREE;
        return quick_number(&at, '\n', &out->id) ? (size_t)(at - text) : 0;
    case 'a':
    case 'c':
    case 'r':
        out->kind = kind_of(text[0]);
        return quick_number(&at, ' ', &out->id) && quick_number(&at, '\n', &out->size)
                   ? (size_t)(at - text)
                   : 0;
    default:
        return 0;
    }
}
