#include "text_line.h"

#include <string.h>

#include "heapscope/trace.h"
#include "text_field.h"

#define ALIGN_MAX (UINT64_C(1) << 31)

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
    case 'o':
        return HS_TEXT_CORE;
    case '%':
        return HS_TEXT_FACT;
    case '#':
        return HS_TEXT_EMPTY;
    default:
        return HS_TEXT_BAD;
    }
}

/* ---- the fields of each kind: what is wrong with them, or HS_IMPORT_TAKEN -------------------------- */

static hs_import_reason_t block_read(hs_text_field_t word, uint64_t *id, bool *null)
{
    *null = hs_field_is_null(word);
    return *null ? HS_IMPORT_TAKEN : hs_field_number(word, id);
}

static hs_import_reason_t align_read(hs_text_field_t word, uint8_t *align_log2)
{
    uint64_t align;
    const hs_import_reason_t reason = hs_field_number(word, &align);
    if (reason != HS_IMPORT_TAKEN) {
        return reason;
    }
    if (align == 0 || align > ALIGN_MAX || (align & (align - 1)) != 0) {
        return HS_IMPORT_ALIGNMENT;
    }
    *align_log2 = 0;
    while (align >> *align_log2 != 1) { /* bound: 31 */
        (*align_log2)++;
    }
    return HS_IMPORT_TAKEN;
}

/* Capabilities, and a call site up to the end of the line. */
static hs_import_reason_t options_read(hs_text_field_t rest, hs_text_line_t *out)
{
    while (rest.length > 0) { /* bound: each round takes a word */
        if (*rest.at == '@') {
            const hs_text_field_t site =
                hs_field_trim((hs_text_field_t){rest.at + 1, rest.length - 1});
            out->name = site.at;
            out->length = site.length;
            return site.length == 0 ? HS_IMPORT_NAME_MISSING : HS_IMPORT_TAKEN;
        }
        const hs_text_field_t word = hs_field_word(&rest);
        uint64_t number;
        if (out->kind == HS_TEXT_FREE || hs_field_number(word, &number) != HS_IMPORT_NO_NUMBER) {
            return HS_IMPORT_FIELDS;
        }
        if (!hs_field_caps(word, &out->caps)) {
            return HS_IMPORT_CAPABILITY;
        }
    }
    return HS_IMPORT_TAKEN;
}

/* The block after a realloc, where the line tells it. */
static hs_import_reason_t moved_read(hs_text_field_t *rest, hs_text_line_t *out)
{
    hs_text_field_t after = *rest;
    const hs_text_field_t word = hs_field_word(&after);
    if (word.length == 0 || *word.at == '@' ||
        block_read(word, &out->new_id, &out->new_null) == HS_IMPORT_NO_NUMBER) {
        return out->null ? HS_IMPORT_FIELD_MISSING : HS_IMPORT_TAKEN;
    }
    *rest = after;
    out->moved = true;
    return block_read(word, &out->new_id, &out->new_null);
}

static hs_import_reason_t event_read(hs_text_field_t rest, hs_text_line_t *out)
{
    hs_import_reason_t reason = block_read(hs_field_word(&rest), &out->id, &out->null);
    if (reason == HS_IMPORT_TAKEN && out->kind == HS_TEXT_ALIGNED) {
        reason = align_read(hs_field_word(&rest), &out->align_log2);
    }
    if (reason == HS_IMPORT_TAKEN && out->kind != HS_TEXT_FREE) {
        reason = hs_field_number(hs_field_word(&rest), &out->size);
    }
    if (reason == HS_IMPORT_TAKEN && out->kind == HS_TEXT_REALLOC) {
        reason = moved_read(&rest, out);
    }
    return reason == HS_IMPORT_TAKEN ? options_read(rest, out) : reason;
}

static hs_import_reason_t name_read(hs_text_field_t rest, hs_text_line_t *out)
{
    out->name = rest.at;
    out->length = rest.length > HS_NAME_MAX ? HS_NAME_MAX : rest.length;
    return out->length > 0 ? HS_IMPORT_TAKEN : HS_IMPORT_NAME_MISSING;
}

static hs_import_reason_t core_read(hs_text_field_t rest, hs_text_line_t *out)
{
    const hs_import_reason_t reason = hs_field_number(hs_field_word(&rest), &out->size);
    if (reason != HS_IMPORT_TAKEN) {
        return reason;
    }
    const hs_text_field_t word = hs_field_word(&rest);
    out->interrupt = hs_field_is(word, "interrupt");
    if (rest.length > 0 || (word.length > 0 && !out->interrupt)) {
        return HS_IMPORT_FIELDS;
    }
    return out->size > HS_TEXT_CORE_MAX ? HS_IMPORT_LARGE_NUMBER : HS_IMPORT_TAKEN;
}

/* A decimal number above 0. */
static bool counts(hs_text_field_t word)
{
    uint64_t number;
    return hs_field_number(word, &number) == HS_IMPORT_TAKEN && number > 0 &&
           memchr(word.at, 'x', word.length) == NULL && memchr(word.at, 'X', word.length) == NULL;
}

static hs_import_reason_t fact_read(hs_text_field_t rest, hs_text_line_t *out)
{
    enum { COUNTS = 2 }; /* the first keys have numbers */
    static const char *const keys[] = {"word_size", "clock_hz",  "program", "chip", "sdk",
                                       "allocator", "poisoning", "config",  "cores"};
    const hs_text_field_t key = hs_field_word(&rest);
    if (hs_field_is(key, "addresses") && rest.length == 0) {
        out->kind = HS_TEXT_ADDRESSES;
        return HS_IMPORT_TAKEN;
    }
    for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++) {
        if (hs_field_is(key, keys[i])) {
            memcpy(out->key, keys[i], strlen(keys[i]) + 1); /* at most 10 bytes */
            out->name = rest.at;
            out->length = rest.length;
            if (rest.length == 0) {
                return HS_IMPORT_FIELD_MISSING;
            }
            return i < COUNTS && !counts(rest) ? HS_IMPORT_NO_NUMBER : HS_IMPORT_TAKEN;
        }
    }
    return HS_IMPORT_FACT;
}

/* "[TIME]" in front of a line. */
static hs_import_reason_t time_read(hs_text_field_t *rest, hs_text_line_t *out)
{
    const uint8_t *close = memchr(rest->at, ']', rest->length);
    if (close == NULL) {
        return HS_IMPORT_TIME;
    }
    const hs_text_field_t inside = {rest->at + 1, (size_t)(close - rest->at) - 1};
    if (hs_field_number(hs_field_trim(inside), &out->time) != HS_IMPORT_TAKEN) {
        return HS_IMPORT_TIME;
    }
    out->timed = true;
    rest->length -= (size_t)(close + 1 - rest->at);
    rest->at = close + 1;
    *rest = hs_field_trim(*rest);
    return HS_IMPORT_TAKEN;
}

/* ---- lines ---------------------------------------------------------------------------------------- */

static hs_import_reason_t rest_read(hs_text_field_t rest, hs_text_line_t *out)
{
    out->kind = kind_of(*rest.at);
    if (out->kind == HS_TEXT_EMPTY) {
        return HS_IMPORT_TAKEN;
    }
    const hs_text_field_t after = hs_field_trim((hs_text_field_t){rest.at + 1, rest.length - 1});
    if (out->kind == HS_TEXT_BAD || (after.length > 0 && after.at == rest.at + 1)) {
        return HS_IMPORT_NO_LINE; /* no such letter, or a word that begins with it */
    }
    switch (out->kind) {
    case HS_TEXT_TASK:
    case HS_TEXT_MARK:
        return name_read(after, out);
    case HS_TEXT_CORE:
        return core_read(after, out);
    case HS_TEXT_FACT:
        return fact_read(after, out);
    default:
        return event_read(after, out);
    }
}

static bool cut_matters(hs_text_kind_t kind)
{
    return kind != HS_TEXT_EMPTY && kind != HS_TEXT_TASK && kind != HS_TEXT_MARK;
}

void hs_text_line_parse(const uint8_t *text, size_t length, hs_text_line_t *out)
{
    *out = (hs_text_line_t){.kind = HS_TEXT_EMPTY};
    const bool cut = length > HS_IMPORT_LINE_MAX;
    hs_text_field_t rest =
        hs_field_trim((hs_text_field_t){text, cut ? HS_IMPORT_LINE_MAX : length});
    hs_import_reason_t reason = HS_IMPORT_TAKEN;
    if (rest.length > 0 && *rest.at == '[') {
        reason = time_read(&rest, out);
    }
    if (reason == HS_IMPORT_TAKEN && rest.length > 0) {
        reason = rest_read(rest, out);
        reason =
            cut && reason == HS_IMPORT_TAKEN && cut_matters(out->kind) ? HS_IMPORT_LONG : reason;
    } else if (reason == HS_IMPORT_TAKEN && cut) {
        reason = HS_IMPORT_LONG;
    }
    if (reason != HS_IMPORT_TAKEN) {
        out->kind = HS_TEXT_BAD;
        out->reason = cut ? HS_IMPORT_LONG : reason;
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
