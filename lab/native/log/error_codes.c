/* Codes of errors, in the words of a program: those of mbedTLS, and ESP_ERR_NO_MEM. */
#include <stdbool.h>
#include <string.h>

#include "failures.h"
#include "form.h"
#include "letters.h"
#include "quantity.h"
#include "roots.h"

/* The tag before a colon: who speaks. */
void hs_log_tag_keep(hs_lab_log_fact_t *fact, const char *text, size_t length)
{
    size_t end = 0;
    while (end < length && (hs_log_word_byte(text[end]) || strchr("-.", text[end]) != NULL)) {
        end++;
    }
    if (end < length && text[end] == ':') {
        hs_log_copy(fact->name, sizeof fact->name, text, end);
    }
}

/* Does a code of mbedTLS, without its sign, mean that memory was short? A code is the sum of a high
 * part, of the module, and of a low one, of its helper. (mbedtls/error.h of 2.x and 3.x) */
static bool means_no_memory(int64_t code)
{
    static const int64_t high[] = {0x7F00, 0x2880, 0x3F80, 0x1180, 0x5180,
                                   0x6180, 0x4D80, 0x3400, 0x5780}; /* ..._ALLOC_FAILED */
    const int64_t low = code & 0x7F;
    for (size_t i = 0; i < sizeof high / sizeof high[0]; i++) {
        if ((code & ~INT64_C(0x7F)) == high[i]) {
            return true;
        }
    }
    return low == 0x10 /* MPI */ || low == 0x6A /* ASN1 */ || code == 0x8D /* PSA */;
}

/* The function of mbedTLS that the line names, or the word in front of "returned". */
static void keep_call(hs_lab_log_fact_t *fact, const char *text, size_t length)
{
    const char *call = strstr(text, "mbedtls_");
    if (call == NULL) {
        hs_log_tag_keep(fact, text, length);
        return;
    }
    size_t size = 0;
    while (hs_log_word_byte(call[size])) {
        size++;
    }
    hs_log_copy(fact->name, sizeof fact->name, call, size);
}

static bool tls_code(const char *text, size_t length, hs_lab_log_fact_t *fact)
{
    size_t start = length;
    hs_log_quantity_t number = {0};
    for (size_t at = 0; at + 1 < length; at++) {
        const bool sign = text[at] == '-' && hs_log_is_digit(text[at + 1]) &&
                          (at == 0 || !hs_log_word_byte(text[at - 1]));
        const bool plain = hs_log_is_digit(text[at]) && text[at + 1] == 'x' && at >= 9 &&
                           strncmp(text + at - 9, "failure: ", 9) == 0;
        const bool wide = strncmp(text + at, "FFFF", 4) == 0 && (at == 0 || text[at - 1] == '=');
        if (!sign && !plain && !wide) {
            continue;
        }
        hs_log_quantity_t one = hs_log_quantity_read(text, at + sign);
        if (wide) {
            char digits[11] = "0x";
            hs_log_copy(digits + 2, 9, text + at, 8);
            one = hs_log_quantity_read(digits, 0);
            one.value = (INT64_C(1) << 32) - one.value;
            one.is_hex = true;
            one.end = at + 8;
        }
        if (one.value > 0 && one.value < 0x8000 && !hs_log_word_byte(text[one.end]) &&
            (start == length || (one.is_hex && !number.is_hex))) {
            start = at;
            number = one;
        }
    }
    const bool returned = hs_log_contains(text, "return") || hs_log_contains(text, "err") ||
                          hs_log_contains(text, "res=") || hs_log_contains(text, "fail") ||
                          hs_log_contains(text, "code");
    if (start == length || !returned) {
        return false;
    }
    fact->code = -number.value;
    fact->has |= HS_LOG_HAS_CODE;
    fact->kind = HS_LOG_TLS_ERROR;
    hs_log_copy(fact->text, sizeof fact->text, text + start, number.end - start);
    if (number.value == 0x7780) {
        fact->kind = HS_LOG_NOT_MEMORY;
        hs_log_copy(fact->text, sizeof fact->text, "an alert of the peer", 20);
    } else if (means_no_memory(number.value)) {
        fact->flags = HS_LOG_NO_MEMORY;
    }
    keep_call(fact, text, length);
    return true;
}

bool hs_log_code_read(const char *text, size_t length, uint32_t roots, hs_lab_log_fact_t *fact)
{
    if (roots & HS_ROOT_TLS) {
        return tls_code(text, length, fact);
    }
    for (size_t at = 0; at < length; at++) { /* ESP_ERR_NO_MEM */
        if (hs_log_is_digit(text[at]) && (at == 0 || !hs_log_word_byte(text[at - 1]))) {
            const hs_log_quantity_t number = hs_log_quantity_read(text, at);
            const char next = text[number.end];
            const bool counts =
                !number.is_hex && next == ' ' && hs_log_word_byte(text[number.end + 1]);
            const bool closed = !hs_log_word_byte(next) && next != '.' && next != '-' && !counts;
            const bool named = at > 0 && strchr(" (:=", text[at - 1]) != NULL;
            if (number.value == 0x101 && closed && named && !number.in_bytes) {
                fact->kind = HS_LOG_ERROR;
                fact->flags = HS_LOG_NO_MEMORY | (number.is_hex ? 0 : HS_LOG_WEAK);
                fact->code = number.value;
                fact->has = HS_LOG_HAS_CODE;
                hs_log_copy(fact->text, sizeof fact->text, text + at, number.end - at);
                hs_log_tag_keep(fact, text, length);
                return true;
            }
            at = number.end;
        }
    }
    return false;
}
