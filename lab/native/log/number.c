#include "number.h"

#include <string.h>

#include "form.h"
#include "letters.h"

#define SIZE_MOST (INT64_C(1) << 25) /* of all memory of a microcontroller */

/* Bytes of a unit at `text`, as a word of its own; 0: none. */
static size_t unit_read(const char *text, uint32_t *unit)
{
    static const struct {
        const char *text;
        uint32_t unit;
    } units[] = {{"bytes", 1},
                 {"byte", 1},
                 {"b", 1},
                 {"kib", 1024},
                 {"kb", 1024},
                 {"k", 1024},
                 {"kbytes", 1024},
                 {"mib", 1024 * 1024},
                 {"mb", 1024 * 1024},
                 {"m", 1024 * 1024},
                 {"kbyte", 1024},
                 {"words", 4},
                 {"octets", 1},
                 {"mbytes", 1024 * 1024}};
    for (size_t i = 0; i < sizeof units / sizeof units[0]; i++) {
        size_t at = 0;
        while (units[i].text[at] != 0 && hs_log_lower(text[at]) == units[i].text[at]) {
            at++;
        }
        if (units[i].text[at] == 0 && !hs_log_word_byte(text[at]) && text[at] != '=' &&
            text[at] != ':') {
            *unit = units[i].unit;
            return at;
        }
    }
    return 0;
}

uint32_t hs_log_unit_of(const char *word, size_t length, uint32_t otherwise)
{
    uint32_t unit = 1;
    const bool whole =
        length > 1 && strchr("KkMm", word[0]) != NULL && unit_read(word, &unit) == length;
    return whole && (unit == 1024 || unit == 1024 * 1024) ? unit : otherwise;
}

/* Three digits and no more behind a separator of thousands? */
static bool thousands(const char *text)
{
    return (text[0] == ',' || text[0] == '\'') && hs_log_is_digit(text[1]) &&
           hs_log_is_digit(text[2]) && hs_log_is_digit(text[3]) && !hs_log_is_digit(text[4]);
}

static bool is_hex(char byte)
{
    return hs_log_is_digit(byte) || (hs_log_lower(byte) >= 'a' && hs_log_lower(byte) <= 'f');
}

/* "0x1a2b0", if it can be a size: a larger number is an address. */
static bool hex_read(const char *text, size_t at, hs_log_number_t *number)
{
    if (text[at] != '0' || hs_log_lower(text[at + 1]) != 'x' || !is_hex(text[at + 2])) {
        return false;
    }
    int64_t value = 0;
    size_t end = at + 2;
    for (; is_hex(text[end]) && end < at + 10; end++) {
        const char digit = hs_log_lower(text[end]);
        value = value * 16 + (hs_log_is_digit(digit) ? digit - '0' : digit - 'a' + 10);
    }
    uint32_t unit;
    const size_t blanks = strspn(text + end, " ");
    const size_t bytes = unit_read(text + end + blanks, &unit);
    number->value = value;
    number->has_unit = bytes != 0 && unit == 1;
    number->end = number->has_unit ? end + blanks + bytes : end;
    number->is_word = value > SIZE_MOST || hs_log_word_byte(text[end]) || (bytes != 0 && unit != 1);
    return true;
}

/* Three digits and no more: behind a blank they may belong to the number before. */
static bool group_of(const char *text)
{
    return hs_log_is_digit(text[0]) && hs_log_is_digit(text[1]) && hs_log_is_digit(text[2]) &&
           !hs_log_word_byte(text[3]) && text[3] != '.';
}

hs_log_number_t hs_log_number_read(const char *text, size_t at)
{
    hs_log_number_t number = {.unit = 1};
    const char before = at > 0 ? text[at - 1] : ' ';
    const bool negative = before == '-' && (at < 2 || !hs_log_word_byte(text[at - 2]));
    int64_t value = 0, thousandths = 0;
    size_t digits = 0;
    if (hex_read(text, at, &number)) {
        return number;
    }
    while (hs_log_is_digit(text[at]) || (digits > 0 && digits < 4 && thousands(text + at)) ||
           (digits > 3 && thousands(text + at) && (text[at - 4] == ',' || text[at - 4] == '\''))) {
        if (hs_log_is_digit(text[at])) {
            value = digits++ < 18 ? value * 10 + (text[at] - '0') : value;
        }
        at++;
    }
    const bool fraction = text[at] == '.' && hs_log_is_digit(text[at + 1]);
    if (fraction) {
        int64_t place = 1000;
        for (at++; hs_log_is_digit(text[at]); at++) {
            place /= 10; /* 0 from the fourth digit on */
            thousandths += (text[at] - '0') * place;
        }
    }
    bool groups = false; /* "201 344 bytes": blanks between thousands, which a unit behind shows */
    while (!fraction && digits < 4 && value != 0 && value < 1000000 && text[at] == ' ' &&
           group_of(text + at + 1)) {
        value = value * 1000 + (text[at + 1] - '0') * 100 + (text[at + 2] - '0') * 10 +
                (text[at + 3] - '0');
        at += 4;
        groups = true;
    }
    const size_t blanks = strspn(text + at, " ");
    const size_t unit = unit_read(text + at + blanks, &number.unit);
    if (fraction && number.unit == 1 && value != 0 && digits < 4 && text[at - 4] == '.') {
        value = value * 1000 + thousandths; /* "45.120 bytes": no byte has parts */
        thousandths = 0;
    }
    number.is_word = unit == 0 && groups;
    number.has_unit = unit != 0;
    number.is_percent = text[at + blanks] == '%';
    if (unit == 0 && strchr("iu", text[at]) != NULL && text[at] != 0 &&
        !hs_log_word_byte(text[at + 1])) {
        at++; /* an integer of InfluxDB's lines */
    }
    number.is_word |=
        (unit == 0 && (hs_log_word_byte(text[at]) || (text[at] == '.' && fraction))) ||
        ((text[at] == '-' || text[at] == ':') && hs_log_word_byte(text[at + 1]));
    number.value = value > INT64_MAX / number.unit - number.unit
                       ? INT64_MAX
                       : value * number.unit + thousandths * number.unit / 1000;
    number.value = negative ? -number.value : number.value;
    number.end = unit != 0 ? at + blanks + unit : at;
    return number;
}

/* Does a name of a file end before `end`: "heap_tlsf.c"? */
static bool file_before(const char *text, size_t end)
{
    size_t at = end;
    while (at > 0 && hs_log_word_byte(text[at - 1]) && end - at < 6) {
        at--;
    }
    static const char *const kinds[] = {"c",  "h",  "cc",  "cpp", "hpp", "py", "rs",
                                        "js", "ts", "lua", "ino", "mpy", "S",  "be"};
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        if (strlen(kinds[i]) == end - at && strncmp(text + at, kinds[i], end - at) == 0) {
            return at > 1 && text[at - 1] == '.' && hs_log_word_byte(text[at - 2]);
        }
    }
    return false; /* "heap.free:" */
}

/* The last part of "24:6f:28:aa:01:02"? */
static bool is_address(const char *text, size_t at)
{
    return at > 5 && text[at - 1] == ':' && is_hex(text[at - 2]) && is_hex(text[at - 3]) &&
           text[at - 4] == ':' && is_hex(text[at - 5]) && is_hex(text[at]) &&
           is_hex(text[at + 1]) && !hs_log_word_byte(text[at + 2]);
}

bool hs_log_number_is_place(const char *text, size_t at)
{
    if (at < 2) {
        return false;
    }
    if (is_address(text, at)) {
        return true;
    }
    const char before = text[at - 1];
    if (before == ':' || before == '(') {
        if (file_before(text, at - 1)) {
            return true;
        }
    }
    if (before == '(' && at > 2 && text[at - 2] == ' ' && strchr("EWIDV", text[at - 3]) != NULL &&
        (at == 3 || text[at - 4] < 'A' || text[at - 4] > 'Z') &&
        text[at + strspn(text + at, "0123456789")] == ')') {
        return true; /* another line's "I (812) " that came into this one */
    }
    if (before != '(' || !hs_log_word_byte(text[at - 2])) {
        return false;
    }
    size_t start = at - 1;
    /* "block_locate_free" and "getFreeHeap" are names, "free" may be a word */
    bool name = at > 6 && strncmp(text + at - 6, "alloc(", 6) == 0;
    while (start > 0 && hs_log_word_byte(text[start - 1])) {
        start--;
        name |= text[start] == '_' ||
                (start + 2 < at && hs_log_lower(text[start + 1]) != text[start + 1] &&
                 hs_log_lower(text[start]) == text[start]);
    }
    const hs_log_number_t number = hs_log_number_read(text, at);
    return name && !number.has_unit && (text[number.end] == ')' || text[number.end] == ',');
}

bool hs_log_value_read(const char *text, size_t at, size_t end, int64_t *value, uint32_t *unit)
{
    char digits[40];
    const size_t start = at;
    while (at < end && !hs_log_is_digit(text[at])) {
        at++;
    }
    if (at == end) {
        return false;
    }
    hs_log_copy(digits, sizeof digits, text + at, end - at);
    hs_log_number_t number = hs_log_number_read(digits, 0);
    if (!number.has_unit && unit_read(text + end + strspn(text + end, " "), &number.unit) != 0) {
        number.value *= number.value < INT64_MAX / number.unit ? number.unit : 1;
    }
    *value = at > start && text[at - 1] == '-' ? -number.value : number.value;
    *unit = number.unit;
    return true;
}
