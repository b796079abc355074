#include "text_field.h"

#include <string.h>

#include "rows/capability.h"

#define NUMBER_MAX (UINT64_C(1) << 63)

static bool blank(uint8_t byte)
{
    return byte == ' ' || byte == '\t' || byte == '\r';
}

hs_text_field_t hs_field_trim(hs_text_field_t text)
{
    while (text.length > 0 && blank(*text.at)) {
        text.at++;
        text.length--;
    }
    while (text.length > 0 && blank(text.at[text.length - 1])) {
        text.length--;
    }
    return text;
}

hs_text_field_t hs_field_word(hs_text_field_t *rest)
{
    *rest = hs_field_trim(*rest);
    hs_text_field_t word = {rest->at, 0};
    while (word.length < rest->length && !blank(word.at[word.length])) {
        word.length++;
    }
    rest->at += word.length;
    rest->length -= word.length;
    *rest = hs_field_trim(*rest);
    return word;
}

bool hs_field_is(hs_text_field_t word, const char *text)
{
    return word.length == strlen(text) && memcmp(word.at, text, word.length) == 0;
}

static bool hexadecimal(hs_text_field_t word)
{
    return word.length > 2 && word.at[0] == '0' && (word.at[1] == 'x' || word.at[1] == 'X');
}

/* The value of a digit; 16 and more: not one. */
static unsigned digit_of(uint8_t byte)
{
    if (byte >= '0' && byte <= '9') {
        return byte - (unsigned)'0';
    }
    const uint8_t small = byte | 0x20u;
    return small >= 'a' && small <= 'f' ? small - (unsigned)'a' + 10u : 16u;
}

hs_import_reason_t hs_field_number(hs_text_field_t word, uint64_t *value)
{
    const unsigned base = hexadecimal(word) ? 16 : 10;
    bool large = false;
    uint64_t number = 0;
    for (size_t i = base == 16 ? 2 : 0; i < word.length; i++) {
        const unsigned digit = digit_of(word.at[i]);
        if (digit >= base) {
            return HS_IMPORT_NO_NUMBER;
        }
        large = large || number > (NUMBER_MAX - digit) / base;
        number = number * base + digit;
    }
    *value = number;
    return word.length == 0 ? HS_IMPORT_FIELD_MISSING
           : large          ? HS_IMPORT_LARGE_NUMBER
                            : HS_IMPORT_TAKEN;
}

bool hs_field_is_null(hs_text_field_t word)
{
    static const char *const words[] = {"NULL", "null", "nil", "(nil)", "(null)", "-"};
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        if (hs_field_is(word, words[i])) {
            return true;
        }
    }
    uint64_t value;
    return hexadecimal(word) && hs_field_number(word, &value) == HS_IMPORT_TAKEN && value == 0;
}

bool hs_field_caps(hs_text_field_t word, uint32_t *caps)
{
    if (word.length > 5 && memcmp(word.at, "caps=", 5) == 0) {
        uint64_t bits;
        const hs_text_field_t number = {word.at + 5, word.length - 5};
        if (hs_field_number(number, &bits) != HS_IMPORT_TAKEN || bits > UINT32_MAX) {
            return false;
        }
        *caps |= (uint32_t)bits;
        return true;
    }
    for (size_t from = 0, i = 0; i <= word.length; i++) {
        if (i == word.length || word.at[i] == '|' || word.at[i] == ',' || word.at[i] == '+') {
            const uint32_t bit = hs_capability_bit((const char *)word.at + from, i - from);
            if (bit == 0) {
                return false;
            }
            *caps |= bit;
            from = i + 1;
        }
    }
    return true;
}
