#include "form.h"

#include <string.h>

#include "letters.h"

#define WORD_MAX 32u /* bytes of a first word that count */

typedef struct hs_log_cursor {
    const char *text; /* of the line, ended by NUL */
    size_t at, length;
    hs_lab_log_fact_t *fact;
    bool ended;   /* the text ended where the pattern wanted more */
    bool open;    /* a number that ends with the text may go on */
    bool goes_on; /* a byte of the pattern came behind the first number, or that may go on */
} hs_log_cursor_t;

/* Value of a hexadecimal digit, or 16. */
static unsigned nibble(char byte)
{
    const char small = hs_log_lower(byte);
    return hs_log_is_digit(byte)          ? (unsigned)(byte - '0')
           : small >= 'a' && small <= 'f' ? (unsigned)(small - 'a' + 10)
                                          : 16;
}

/* The hash of nothing where no word begins, as before "(". */
static uint32_t hash_word(const char *text)
{
    uint32_t hash = 2166136261u; /* FNV-1a */
    for (size_t i = 0; i < WORD_MAX && hs_log_word_byte(text[i]); i++) {
        hash = (hash ^ (uint8_t)hs_log_lower(text[i])) * 16777619u;
    }
    return (hash ^ hash >> 16) % HS_LOG_BUCKETS;
}

static const char *first_word(const char *pattern)
{
    return pattern[0] == '%' && pattern[1] == '<' ? pattern + 3 : pattern;
}

/* The three tables as one. */
static const hs_log_form_t *form_at(size_t number)
{
    if (number < hs_log_form_count) {
        return &hs_log_forms[number];
    }
    number -= hs_log_form_count;
    return number < hs_log_pool_form_count ? &hs_log_pool_forms[number]
                                           : &hs_log_stops[number - hs_log_pool_form_count];
}

void hs_log_index_init(hs_log_index_t *index)
{
    memset(index, 0, sizeof *index);
    for (size_t form = hs_log_form_count + hs_log_pool_form_count + hs_log_stop_count;
         form-- > 0;) {
        const uint32_t bucket = hash_word(first_word(form_at(form)->pattern));
        index->next[form] = index->first[bucket];
        index->first[bucket] = (uint16_t)(form + 1);
    }
}

void hs_log_fact_clear(hs_lab_log_fact_t *fact)
{
    memset(fact, 0, sizeof *fact);
    fact->unit = 1;
}

void hs_log_copy(char *out, size_t size, const char *text, size_t length)
{
    if (length >= size) {
        length = size - 1;
        while (length > 0 && ((unsigned char)text[length] & 0xC0) == 0x80) {
            length--;
        }
    }
    memcpy(out, text, length);
    out[length] = 0;
}

/* Takes the field that a letter of a pattern names; false: it names none. */
static void keep(hs_lab_log_fact_t *fact, char field, int64_t value)
{
    static const char letters[] = "ascflmtupnke"; /* in the order of HS_LOG_HAS_* */
    int64_t *const fields[] = {&fact->address, &fact->size,  &fact->caps,       &fact->free,
                               &fact->largest, &fact->min,   &fact->total,      &fact->used,
                               &fact->peak,    &fact->count, &fact->free_count, &fact->code};
    const char *result = strchr(letters, field);
    if (result != NULL && field != 0) {
        const size_t index = (size_t)(result - letters);
        *fields[index] = value;
        fact->has |= UINT32_C(1) << index;
    }
}

static void keep_text(hs_lab_log_fact_t *fact, char field, const char *text, size_t length)
{
    while (length > 0 && text[0] == ' ') {
        text++;
        length--;
    }
    while (length > 0 && text[length - 1] == ' ') {
        length--;
    }
    if (field == 'N') {
        hs_log_copy(fact->name, sizeof fact->name, text, length);
    } else if (field == 'T') {
        hs_log_copy(fact->text, sizeof fact->text, text, length);
    }
}

/* A number in `base`; false: no number, or it does not fit. */
static bool digits(hs_log_cursor_t *cursor, unsigned base, int64_t *value)
{
    const size_t start = cursor->at;
    int64_t number = 0;
    while (cursor->at < cursor->length) {
        const unsigned digit = nibble(cursor->text[cursor->at]);
        if (digit >= base) {
            break;
        }
        if (number > (INT64_MAX - 15) / 16) {
            return false;
        }
        number = number * base + digit;
        cursor->at++;
    }
    const bool some = cursor->at != start, last = cursor->at == cursor->length;
    cursor->ended = last && (!some || cursor->open);
    cursor->goes_on |= some && cursor->ended;
    *value = number;
    return some && !cursor->ended;
}

static bool number(hs_log_cursor_t *cursor, char type, char field)
{
    const char *text = cursor->text + cursor->at;
    const bool negative = type != 'x' && text[0] == '-';
    cursor->at += negative;
    text += negative;
    const bool prefixed = text[0] == '0' && hs_log_lower(text[1]) == 'x';
    size_t run = 0;
    while (type == 'v' && run < 9 && nibble(text[run]) < 16) {
        run++;
    }
    const bool hex = type == 'x' || (type == 'v' && (prefixed || run == 8));
    if (hex && prefixed) {
        cursor->at += 2;
    }
    int64_t value;
    if (!digits(cursor, hex ? 16 : 10, &value)) {
        return false;
    }
    if (type == 'K' || type == 'M' || type == 'G') {
        const int64_t unit = type == 'K' ? 1024 : type == 'M' ? 1024 * 1024 : 16;
        if (value > INT64_MAX / unit) {
            return false;
        }
        value *= unit;
        cursor->fact->unit = (uint32_t)unit;
    }
    keep(cursor->fact, field, negative ? -value : value);
    return true;
}

static bool word(hs_log_cursor_t *cursor, char field)
{
    const size_t start = cursor->at;
    while (cursor->at < cursor->length && (hs_log_word_byte(cursor->text[cursor->at]) ||
                                           strchr(".-+:/", cursor->text[cursor->at]) != NULL)) {
        cursor->at++;
    }
    size_t length = cursor->at - start;
    while (length > 0 && strchr(".:", cursor->text[start + length - 1]) != NULL) {
        length--; /* of the sentence, not of the word */
        cursor->at--;
    }
    cursor->ended = start == cursor->length;
    keep_text(cursor->fact, field, cursor->text + start, length);
    return length != 0;
}

/* Does the text here go on as the pattern does up to its next field? */
static bool goes_on(const char *text, const char *pattern)
{
    while (*pattern != 0 && strchr("%{}", *pattern) == NULL) {
        if (*pattern == ' ') {
            text += strspn(text, " ");
        } else if (hs_log_lower(*text++) != hs_log_lower(*pattern)) {
            return false; /* NUL at the latest */
        }
        pattern++;
    }
    return true;
}

/* Text up to where the pattern goes on, or to the end of the line. */
static bool span(hs_log_cursor_t *cursor, char field, const char *pattern)
{
    const size_t start = cursor->at;
    const bool open = *pattern == 0;
    while (cursor->at < cursor->length && (open || !goes_on(cursor->text + cursor->at, pattern))) {
        cursor->at++;
    }
    cursor->ended = cursor->at == cursor->length && !open;
    keep_text(cursor->fact, field, cursor->text + start, cursor->at - start);
    return !cursor->ended;
}

static bool literal(hs_log_cursor_t *cursor, char byte)
{
    if (byte == ' ') {
        while (cursor->at < cursor->length && cursor->text[cursor->at] == ' ') {
            cursor->at++;
        }
        return true;
    }
    cursor->ended = cursor->at == cursor->length;
    if (cursor->ended || hs_log_lower(cursor->text[cursor->at]) != hs_log_lower(byte)) {
        return false;
    }
    cursor->at++;
    cursor->goes_on |= cursor->fact->has != 0;
    return true;
}

/* Bytes of the line between two cells of a table. */
static bool cell_line(char byte)
{
    return byte == '|' || byte == '?' || (byte & 0x80) != 0;
}

/* The number or the word that ends before `at`; of a table, the whole cell. */
static bool take_before(hs_log_cursor_t *cursor, size_t at, char field)
{
    const char *text = cursor->text;
    while (at > 0 && strchr(" :\"'>", text[at - 1]) != NULL) {
        at--;
    }
    const bool cell = at > 0 && cell_line(text[at - 1]);
    while (at > 0 && (cell_line(text[at - 1]) || (cell && text[at - 1] == ' '))) {
        at--;
    }
    size_t start = at;
    while (start > 0 && (cell ? !cell_line(text[start - 1])
                              : hs_log_word_byte(text[start - 1]) || text[start - 1] == '-')) {
        start--;
    }
    while (field == 'L' && start > 0 && strchr(":[]>", text[start - 1]) == NULL) {
        start--;
    }
    if (field == 'N' || field == 'L') {
        keep_text(cursor->fact, 'N', text + start, at - start);
        return true;
    }
    cursor->at = start;
    return number(cursor, field == 'a' ? 'v' : 'd', field) && cursor->at == at;
}

/* The line between two cells; false: none. */
static bool cell_end(hs_log_cursor_t *cursor)
{
    const size_t start = cursor->at;
    while (cell_line(cursor->text[cursor->at]) || cursor->text[cursor->at] == ' ') {
        cursor->at++;
    }
    return cursor->at != start;
}

/* Matches the pattern from `pattern` to `end`. */
static bool run(hs_log_cursor_t *cursor, const char *pattern, const char *end)
{
    while (pattern < end) {
        if (*pattern == '{') {
            const char *close = strchr(pattern, '}');
            const size_t before = cursor->at;
            if (!run(cursor, pattern + 1, close)) { /* depth: 1 */
                cursor->at = before;
            }
            pattern = close + 1;
        } else if (pattern[0] == '%' && pattern[1] == '|') {
            if (!cell_end(cursor)) {
                return false;
            }
            pattern += 2;
        } else if (pattern[0] == '%' && pattern[1] != '%' && pattern[1] != '{') {
            const char type = pattern[1];
            const char field = pattern[2];
            pattern += 3;
            const bool taken = type == 'w'   ? word(cursor, field)
                               : type == 't' ? span(cursor, field, pattern)
                                             : number(cursor, type, field);
            if (!taken) {
                return false;
            }
        } else {
            pattern += *pattern == '%'; /* one that stands for itself */
            if (!literal(cursor, *pattern++)) {
                return false;
            }
        }
    }
    return true;
}

const hs_log_form_t *hs_log_form_find(const hs_log_index_t *index, const hs_log_line_t *line,
                                      size_t at, hs_lab_log_fact_t *fact, hs_log_match_t *match)
{
    const char *text = line->text;
    for (unsigned next = index->first[hash_word(text + at)]; next != 0;
         next = index->next[next - 1]) {
        const hs_log_form_t *form = form_at(next - 1);
        const char *pattern = first_word(form->pattern);
        if (hs_log_lower(*pattern) != hs_log_lower(text[at])) {
            continue; /* another word of this bucket */
        }
        const bool cuts = (form->flags & HS_LOG_FORM_CUTS) != 0;
        hs_log_cursor_t cursor = {
            .text = text, .length = line->length, .fact = fact, .open = line->unended && cuts};
        const bool matched =
            (pattern == form->pattern || take_before(&cursor, at, form->pattern[2])) &&
            (cursor.at = at, run(&cursor, pattern, pattern + strlen(pattern)));
        match->is_cut = !matched && cursor.ended && cursor.goes_on && cuts;
        if (matched || match->is_cut) {
            match->end = cursor.at > at ? cursor.at : at + 1;
            fact->kind = form->kind;
            fact->flags =
                (uint8_t)((form->flags & HS_LOG_FORM_FLAGS) | (match->is_cut ? HS_LOG_CUT : 0));
            if (form->name != NULL) {
                hs_log_copy(fact->name, sizeof fact->name, form->name, strlen(form->name));
            }
            if (form->text != NULL) {
                hs_log_copy(fact->text, sizeof fact->text, form->text, strlen(form->text));
            }
            return form;
        }
        if (fact->has != 0 || fact->name[0] != 0 || fact->text[0] != 0 || fact->unit != 1) {
            hs_log_fact_clear(fact);
        }
    }
    return NULL;
}
