/* Patterns become programs by recursive descent: each part appends its steps. */
#include "pattern.h"

#include <string.h>

#include "pattern_set.h"
#include "pattern_steps.h"

typedef struct hs_pattern_reader {
    hs_pattern_t *pattern;
    const char *text;
    size_t at, length, depth;
    size_t label_length;
    char label[HS_PATTERN_LABEL]; /* plain text since the last group */
    bool folds;                   /* both cases of a letter are meant */
    hs_pattern_status_t status;
} hs_pattern_reader_t;

static bool fail(hs_pattern_reader_t *reader, hs_pattern_status_t status)
{
    if (reader->status == HS_PATTERN_OK) {
        reader->status = status;
    }
    return false;
}

static char peek(const hs_pattern_reader_t *reader)
{
    return reader->at < reader->length ? reader->text[reader->at] : 0;
}

static bool more(const hs_pattern_reader_t *reader)
{
    return reader->at < reader->length;
}

static bool take(hs_pattern_reader_t *reader, const char *word)
{
    const size_t size = strlen(word);
    if (reader->length - reader->at < size || memcmp(reader->text + reader->at, word, size) != 0) {
        return false;
    }
    reader->at += size;
    return true;
}

static bool emit(hs_pattern_reader_t *reader, unsigned what, unsigned arg)
{
    return hs_steps_add(reader->pattern, what, arg, 0, 0) || fail(reader, HS_PATTERN_LONG);
}

static uint8_t *new_set(hs_pattern_reader_t *reader)
{
    hs_pattern_t *pattern = reader->pattern;
    if (pattern->set_count == HS_PATTERN_SETS) {
        fail(reader, HS_PATTERN_LONG);
        return NULL;
    }
    uint8_t *set = pattern->sets[pattern->set_count];
    memset(set, 0, 32);
    return emit(reader, HS_STEP_SET, (unsigned)pattern->set_count++) ? set : NULL;
}

/* The byte that an escape stands for; -1: not one. */
static int escaped(char letter)
{
    switch (letter) {
    case 't':
        return '\t';
    case 'n':
        return '\n';
    case 'r':
        return '\r';
    default:
        return (letter >= '0' && letter <= '9') || (letter >= 'a' && letter <= 'z') ||
                       (letter >= 'A' && letter <= 'Z') || letter == 0
                   ? -1
                   : (uint8_t)letter;
    }
}

static bool literal(hs_pattern_reader_t *reader, uint8_t byte)
{
    if (reader->label_length == HS_PATTERN_LABEL - 1) { /* its end counts */
        memmove(reader->label, reader->label + 1, --reader->label_length);
    }
    reader->label[reader->label_length++] = (char)byte;
    const bool letter = (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z');
    if (!reader->folds || !letter) {
        return emit(reader, HS_STEP_BYTE, byte);
    }
    uint8_t *set = new_set(reader);
    if (set != NULL) {
        hs_set_add(set, byte | 0x20u, byte | 0x20u);
        hs_set_add(set, byte & ~0x20u, byte & ~0x20u);
    }
    return set != NULL;
}

/* One end of a range in brackets, or a class, for which -1 is returned; -2: a fault. */
static int member(hs_pattern_reader_t *reader, uint8_t *set)
{
    const char letter = reader->text[reader->at++];
    if (letter != '\\') {
        return (uint8_t)letter;
    }
    const char next = peek(reader);
    reader->at += more(reader);
    if (hs_set_add_class(set, next)) {
        return -1;
    }
    return escaped(next) < 0 ? (fail(reader, HS_PATTERN_UNSUPPORTED), -2) : escaped(next);
}

static bool brackets(hs_pattern_reader_t *reader)
{
    uint8_t *set = new_set(reader);
    if (set == NULL) {
        return false;
    }
    const bool inverted = take(reader, "^");
    for (bool first = true; first || peek(reader) != ']'; first = false) {
        if (!more(reader)) {
            return fail(reader, HS_PATTERN_UNCLOSED);
        }
        const int low = member(reader, set);
        int high = low;
        if (low >= 0 && peek(reader) == '-' && reader->at + 1 < reader->length &&
            reader->text[reader->at + 1] != ']') {
            reader->at++;
            high = member(reader, set);
            if (high < low) {
                return fail(reader, HS_PATTERN_RANGE);
            }
        }
        if (low == -2) {
            return false;
        }
        if (low >= 0) {
            hs_set_add(set, (unsigned)low, (unsigned)high);
        }
    }
    reader->at++;
    if (reader->folds) {
        hs_set_fold(set);
    }
    if (inverted) {
        hs_set_invert(set);
    }
    return true;
}

static bool alternatives(hs_pattern_reader_t *reader);

/* The label of a group is its name, or the text before it. */
static bool group(hs_pattern_reader_t *reader)
{
    hs_pattern_t *pattern = reader->pattern;
    const size_t number = pattern->group_count;
    const bool keeps = !take(reader, "?:");
    if (++reader->depth > HS_PATTERN_DEPTH) {
        return fail(reader, HS_PATTERN_LONG);
    }
    if (keeps && number == HS_PATTERN_GROUPS) {
        return fail(reader, HS_PATTERN_MANY);
    }
    if (keeps) {
        char *label = pattern->label[pattern->group_count++];
        memcpy(label, reader->label, reader->label_length);
        label[reader->label_length] = 0;
        if (take(reader, "?P<") || take(reader, "?<")) {
            size_t size = 0;
            while (more(reader) && peek(reader) != '>' && size < HS_PATTERN_LABEL - 1) {
                label[size++] = reader->text[reader->at++];
            }
            label[size] = 0;
            if (size == 0 || label[0] == '=' || label[0] == '!') {
                return fail(reader, HS_PATTERN_UNSUPPORTED);
            }
            if (!take(reader, ">")) {
                return fail(reader, HS_PATTERN_UNCLOSED);
            }
        } else if (peek(reader) == '?') {
            return fail(reader, HS_PATTERN_UNSUPPORTED);
        }
    }
    if (keeps && !emit(reader, HS_STEP_SAVE, (unsigned)(2 * number))) {
        return false;
    }
    if (!alternatives(reader)) {
        return false;
    }
    if (!take(reader, ")")) {
        return fail(reader, HS_PATTERN_UNCLOSED);
    }
    reader->depth--;
    reader->label_length = keeps ? 0 : reader->label_length;
    return !keeps || emit(reader, HS_STEP_SAVE, (unsigned)(2 * number + 1));
}

static bool atom(hs_pattern_reader_t *reader)
{
    const char letter = reader->text[reader->at++];
    switch (letter) {
    case '(':
        return group(reader);
    case '[':
        return brackets(reader);
    case '.':
        return emit(reader, HS_STEP_ANY, 0);
    case '^':
        return emit(reader, HS_STEP_BEGIN, 0);
    case '$':
        return emit(reader, HS_STEP_END, 0);
    case '*':
    case '+':
    case '?':
        reader->at--;
        return fail(reader, HS_PATTERN_NOTHING);
    case '\\':
        break;
    default:
        return literal(reader, (uint8_t)letter);
    }
    const char next = peek(reader);
    reader->at += more(reader);
    if (next == 'b') {
        return emit(reader, HS_STEP_EDGE, 0);
    }
    uint8_t class[32] = {0};
    if (hs_set_add_class(class, next)) {
        uint8_t *set = new_set(reader);
        if (set != NULL) {
            memcpy(set, class, sizeof class);
        }
        return set != NULL;
    }
    const int byte = escaped(next);
    return byte < 0 ? fail(reader, HS_PATTERN_UNSUPPORTED) : literal(reader, (uint8_t)byte);
}

/* At most three digits; false: none. */
static bool count(hs_pattern_reader_t *reader, size_t *value)
{
    const size_t start = reader->at;
    *value = 0;
    while (peek(reader) >= '0' && peek(reader) <= '9' && reader->at - start < 3) {
        *value = *value * 10 + (size_t)(reader->text[reader->at++] - '0');
    }
    return reader->at != start;
}

/* {m}, {m,} or {m,n}; false: a brace that stands for itself, or a fault. `most` 0: no end. */
static bool braces(hs_pattern_reader_t *reader, size_t *least, size_t *most)
{
    const size_t start = reader->at++;
    bool hit = count(reader, least);
    *most = *least;
    if (hit && take(reader, ",") && !count(reader, most)) {
        *most = 0;
    } else if (hit && *most < *least) {
        return fail(reader, HS_PATTERN_RANGE);
    } else if (hit && *most == 0) {
        return fail(reader, HS_PATTERN_NOTHING);
    }
    hit = hit && take(reader, "}");
    reader->at = hit ? reader->at : start;
    return hit;
}

static bool piece(hs_pattern_reader_t *reader)
{
    const size_t start = reader->pattern->code_count;
    if (!atom(reader)) {
        return false;
    }
    size_t least = 1, most = 1;
    const char sign = peek(reader);
    if (sign == '*' || sign == '+' || sign == '?') {
        reader->at++;
        least = sign == '+';
        most = sign == '?';
    } else if (sign != '{' || !braces(reader, &least, &most)) {
        return reader->status == HS_PATTERN_OK;
    }
    if (reader->label_length < HS_PATTERN_LABEL - 1) {
        reader->label[reader->label_length++] = ' ';
    }
    return hs_steps_repeat(reader->pattern, start, least, most, take(reader, "?")) ||
           fail(reader, HS_PATTERN_LONG);
}

static bool alternatives(hs_pattern_reader_t *reader)
{
    const size_t start = reader->pattern->code_count;
    while (more(reader) && peek(reader) != '|' && peek(reader) != ')') {
        if (!piece(reader)) {
            return false;
        }
    }
    if (!take(reader, "|")) {
        return true;
    }
    if (++reader->depth > HS_PATTERN_DEPTH ||
        !hs_steps_insert(reader->pattern, start, HS_STEP_SPLIT)) {
        return fail(reader, HS_PATTERN_LONG);
    }
    const size_t jump = reader->pattern->code_count;
    reader->pattern->code[start].x = (uint16_t)(start + 1);
    reader->pattern->code[start].y = (uint16_t)(jump + 1);
    if (!emit(reader, HS_STEP_JUMP, 0) || !alternatives(reader)) {
        return false;
    }
    reader->depth--;
    reader->pattern->code[jump].x = (uint16_t)reader->pattern->code_count;
    return true;
}

hs_pattern_status_t hs_pattern_compile(hs_pattern_t *pattern, const char *text, size_t length,
                                       size_t *at)
{
    hs_pattern_reader_t reader = {.pattern = pattern, .text = text, .length = length};
    memset(pattern, 0, sizeof *pattern);
    reader.folds = take(&reader, "(?i)");
    if (alternatives(&reader)) {
        if (more(&reader)) {
            fail(&reader, HS_PATTERN_UNCLOSED);
        } else if (pattern->group_count == 0) {
            fail(&reader, HS_PATTERN_NO_GROUP);
        }
    }
    emit(&reader, HS_STEP_MATCH, 0);
    *at = reader.at;
    if (reader.status == HS_PATTERN_OK) {
        hs_pattern_find_first(pattern);
    }
    return reader.status;
}
