#include "failures.h"

#include <string.h>

#include "form.h"
#include "roots.h"

#define WORD_MAX 24u
#define FOREIGN_BYTES (INT64_C(1) << 28)

/* The things that a word can say. */
#define ALLOC 1u
#define FAIL 2u
#define NOT 4u /* "unable to allocate", "could not allocate" */
#define MEMORY 8u
#define SHORT 16u /* "no memory", "out of memory" */
#define LEAK 32u
#define ASKS 64u
#define SIZE 128u
#define CAPS 256u
#define FREED 512u
#define DONE 1024u
#define COUNT 2048u

static const struct {
    const char *text;
    unsigned means;
} table[] = {
    {"alloc", ALLOC},
    {"malloc", ALLOC},
    {"calloc", ALLOC},
    {"realloc", ALLOC},
    {"allocate", ALLOC},
    {"allocation", ALLOC},
    {"memalign", ALLOC},
    {"kmalloc", ALLOC},
    {"mallocs", ALLOC},
    {"allocating", ALLOC | ASKS},
    {"fail", FAIL},
    {"failed", FAIL},
    {"fails", FAIL},
    {"failure", FAIL},
    {"failures", FAIL},
    {"errors", FAIL},
    {"count", COUNT},
    {"error", FAIL},
    {"err", FAIL},
    {"nomem", ALLOC | SHORT | MEMORY},
    {"unable", NOT},
    {"cannot", NOT},
    {"not", NOT},
    {"couldn", NOT},
    {"can", NOT},
    {"could", NOT},
    {"memory", MEMORY},
    {"mem", MEMORY},
    {"ram", MEMORY},
    {"heap", MEMORY},
    {"no", SHORT},
    {"out", SHORT},
    {"insufficient", SHORT},
    {"enough", SHORT},
    {"exhausted", SHORT},
    {"exceeded", SHORT},
    {"leak", LEAK},
    {"leaks", LEAK},
    {"leaked", LEAK},
    {"size", SIZE},
    {"len", SIZE},
    {"length", SIZE},
    {"of", SIZE},
    {"caps", CAPS},
    {"capabilities", CAPS},
    {"free", FREED},
    {"success", DONE},
    {"successfully", DONE},
    {"ok", DONE},
    {"corruption", LEAK},
    {"available", DONE},
};

static char lower(char byte)
{
    return byte >= 'A' && byte <= 'Z' ? (char)(byte + ('a' - 'A')) : byte;
}

static bool is_digit(char byte)
{
    return byte >= '0' && byte <= '9';
}

/* Does the text contain the small letters of `part`, in any case? */
static bool contains(const char *text, const char *part)
{
    for (; *text != 0; text++) {
        size_t same = 0;
        while (part[same] != 0 && lower(text[same]) == part[same]) {
            same++;
        }
        if (part[same] == 0) {
            return true;
        }
    }
    return false;
}

/* Does the text begin with these small letters, in any case? */
static bool begins(const char *text, const char *part)
{
    size_t same = 0;
    while (part[same] != 0 && lower(text[same]) == part[same]) {
        same++;
    }
    return part[same] == 0;
}

static unsigned meaning(const char *text, size_t length)
{
    char word[WORD_MAX];
    if (length >= WORD_MAX) {
        return 0;
    }
    for (size_t i = 0; i < length; i++) {
        word[i] = lower(text[i]);
    }
    for (size_t i = 0; i < sizeof table / sizeof table[0]; i++) {
        if (strlen(table[i].text) == length && memcmp(table[i].text, word, length) == 0) {
            return table[i].means;
        }
    }
    return 0;
}

static bool word_byte(char byte)
{
    return hs_log_word_byte(byte) && byte != '_';
}

typedef struct hs_log_number_match {
    int64_t value;
    size_t end;
    bool is_hex, in_bytes;
    bool is_giant; /* of GiB */
} hs_log_number_match_t;

static hs_log_number_match_t number_at(const char *text, size_t at)
{
    hs_log_number_match_t match = {0};
    match.is_hex = text[at] == '0' && lower(text[at + 1]) == 'x';
    at += match.is_hex ? 2 : 0;
    for (int digits = 0; digits < 15; digits++, at++) {
        const char byte = lower(text[at]);
        if (is_digit(byte)) {
            match.value = match.value * (match.is_hex ? 16 : 10) + (byte - '0');
        } else if (match.is_hex && byte >= 'a' && byte <= 'f') {
            match.value = match.value * 16 + (byte - 'a' + 10);
        } else {
            break;
        }
    }
    match.end = at;
    const char *unit = text + at + strspn(text + at, " ");
    match.in_bytes = lower(unit[0]) == 'b' && (!hs_log_word_byte(unit[1]) || begins(unit, "byte"));
    const char *giant = unit + (unit[0] == '.' ? 1 + strspn(unit + 1, "0123456789 ") : 0);
    match.is_giant = strncmp(giant, "GiB", 3) == 0 || strncmp(giant, "GB", 2) == 0;
    return match;
}

typedef struct hs_log_scan_words {
    unsigned all, before; /* what all words say, and the one before the place */
    int64_t size;
    int rank; /* of the size: 3 has a unit, 2 has its name, 1 follows "alloc"; 0: none */
    int64_t caps;
    bool has_caps, none_failed, is_short;
    bool is_name;                     /* "alloc_failed" is a name, and nothing has failed */
    bool is_foreign;                  /* a size that no microcontroller has */
    const hs_lab_log_fact_t *figures; /* that the line tells: none of them is the request */
    size_t figure_count;
} hs_log_scan_words_t;

/* Is it what the line says to be free, or the like? */
static bool is_figure(const hs_log_scan_words_t *scan, int64_t value)
{
    for (size_t i = 0; i < scan->figure_count; i++) {
        const hs_lab_log_fact_t *one = &scan->figures[i];
        if ((one->told & HS_LOG_TOLD_FREE && one->free == value) ||
            (one->told & HS_LOG_TOLD_LARGEST && one->largest == value) ||
            (one->told & HS_LOG_TOLD_MIN && one->min == value)) {
            return true;
        }
    }
    return false;
}

static void take_number(hs_log_scan_words_t *scan, const hs_log_number_match_t *number, char behind)
{
    if (scan->before & CAPS) {
        scan->caps = number->value;
        scan->has_caps = true;
        return;
    }
    const int rank = behind == '%' || is_figure(scan, number->value) ? 0
                     : number->in_bytes                              ? 3
                     : scan->before & SIZE                           ? 2
                     : scan->before & ALLOC                          ? 1
                                                                     : 0;
    scan->is_foreign |= number->in_bytes && number->value >= FOREIGN_BYTES;
    scan->none_failed |=
        number->value == 0 && (scan->before & FAIL || (scan->before & COUNT && scan->all & FAIL));
    if (rank > scan->rank && scan->all & (ALLOC | MEMORY | FAIL)) {
        scan->rank = rank;
        scan->size = number->value;
    }
}

static void scan_words(const char *text, size_t length, hs_log_scan_words_t *scan)
{
    for (size_t at = 0; at < length;) {
        if (!word_byte(text[at])) {
            at++;
            continue;
        }
        if (is_digit(text[at])) {
            const hs_log_number_match_t number = number_at(text, at);
            scan->is_foreign |= number.is_giant;
            const bool closed = !hs_log_word_byte(text[number.end]) && text[number.end] != '.';
            if (closed || (number.in_bytes && !number.is_hex)) { /* "94400Byte" */
                take_number(scan, &number, text[number.end]);
                const size_t next = number.end + strspn(text + number.end, " ");
                scan->none_failed |= number.value == 0 && strncmp(text + next, "failed", 6) == 0;
            }
            at = number.end;
            while (word_byte(text[at])) {
                at++;
            }
            scan->before = 0;
            continue;
        }
        size_t end = at;
        do {
            end++;
        } while (word_byte(text[end]) && !(text[end] >= 'A' && text[end] <= 'Z' &&
                                           text[end - 1] >= 'a' && text[end - 1] <= 'z'));
        const unsigned means = meaning(text + at, end - at);
        if (means & FAIL) {
            scan->is_name |= at > 0 && text[at - 1] == '_' && (scan->all & FAIL) == 0;
        }
        scan->is_short |= means & MEMORY && scan->before & SHORT;
        scan->is_short |= means & SHORT && scan->before & MEMORY && means & ~(unsigned)SHORT;
        if (means != 0 || end - at > 2) { /* "out of memory" keeps its "out" */
            scan->before = means & SIZE && scan->before & SHORT ? scan->before : means;
        }
        scan->all |= means;
        at = end;
    }
}

/* The tag before a colon: who speaks. */
static void keep_tag(hs_lab_log_fact_t *fact, const char *text, size_t length)
{
    size_t end = 0;
    while (end < length && (hs_log_word_byte(text[end]) || strchr("-.", text[end]) != NULL)) {
        end++;
    }
    if (end < length && text[end] == ':') {
        hs_log_copy(fact->name, sizeof fact->name, text, end);
    }
}

bool hs_log_failure_read(const char *text, size_t length, const hs_lab_log_fact_t *figures,
                         size_t figure_count, hs_lab_log_fact_t *fact)
{
    hs_log_scan_words_t scan = {.figures = figures, .figure_count = figure_count};
    scan_words(text, length, &scan);
    const bool exhausted = contains(text, "memory exhausted");
    const bool named = scan.is_name && scan.rank < 2;
    const bool denied = scan.all & ALLOC && scan.all & (FAIL | NOT) && !scan.none_failed && !named;
    const bool is_short = scan.is_short || exhausted;
    if (scan.all & (LEAK | DONE) || (!denied && !is_short)) {
        if ((scan.all & (ASKS | LEAK)) != ASKS || scan.rank < 3) {
            return false;
        }
        fact->kind = HS_LOG_ASKED;
    } else if (scan.is_foreign) {
        fact->kind = HS_LOG_NOT_MEMORY;
        hs_log_copy(fact->text, sizeof fact->text, "a size that no device has", 25);
        return true;
    } else {
        fact->kind = HS_LOG_FAILED;
        fact->flags = HS_LOG_NO_MEMORY | (exhausted ? HS_LOG_WEAK : 0);
        hs_log_copy(fact->text, sizeof fact->text, denied ? "denied" : "no memory", denied ? 6 : 9);
    }
    if (scan.rank != 0) {
        fact->size = scan.size;
        fact->told |= HS_LOG_TOLD_SIZE;
    }
    if (scan.has_caps) {
        fact->caps = scan.caps;
        fact->told |= HS_LOG_TOLD_CAPS;
    }
    keep_tag(fact, text, length);
    return true;
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
        keep_tag(fact, text, length);
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
    hs_log_number_match_t number = {0};
    for (size_t at = 0; at + 1 < length; at++) {
        const bool sign = text[at] == '-' && is_digit(text[at + 1]) &&
                          (at == 0 || !hs_log_word_byte(text[at - 1]));
        const bool plain = is_digit(text[at]) && text[at + 1] == 'x' && at >= 9 &&
                           strncmp(text + at - 9, "failure: ", 9) == 0;
        const bool wide = strncmp(text + at, "FFFF", 4) == 0 && (at == 0 || text[at - 1] == '=');
        if (!sign && !plain && !wide) {
            continue;
        }
        hs_log_number_match_t one = number_at(text, at + sign);
        if (wide) {
            char digits[11] = "0x";
            hs_log_copy(digits + 2, 9, text + at, 8);
            one = number_at(digits, 0);
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
    const bool returned = contains(text, "return") || contains(text, "err") ||
                          contains(text, "res=") || contains(text, "fail") ||
                          contains(text, "code");
    if (start == length || !returned) {
        return false;
    }
    fact->code = -number.value;
    fact->told |= HS_LOG_TOLD_CODE;
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
        if (is_digit(text[at]) && (at == 0 || !hs_log_word_byte(text[at - 1]))) {
            const hs_log_number_match_t number = number_at(text, at);
            const bool closed = !hs_log_word_byte(text[number.end]) && text[number.end] != '.';
            const bool named = at > 0 && strchr(" (:=", text[at - 1]) != NULL;
            if (number.value == 0x101 && closed && named && !number.in_bytes) {
                fact->kind = HS_LOG_ERROR;
                fact->flags = HS_LOG_NO_MEMORY | (number.is_hex ? 0 : HS_LOG_WEAK);
                fact->code = number.value;
                fact->told = HS_LOG_TOLD_CODE;
                hs_log_copy(fact->text, sizeof fact->text, text + at, number.end - at);
                keep_tag(fact, text, length);
                return true;
            }
            at = number.end;
        }
    }
    return false;
}
