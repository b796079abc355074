#include "failures.h"

#include <string.h>

#include "form.h"
#include "letters.h"
#include "quantity.h"
#include "rows/capability.h"

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
#define GAVE 4096u /* "malloc(90000) returned NULL" */
#define NOTHING 8192u

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
    {"returned", GAVE},
    {"returns", GAVE},
    {"gave", GAVE},
    {"null", NOTHING},
    {"nullptr", NOTHING},
};

static unsigned meaning(const char *text, size_t length)
{
    char word[WORD_MAX];
    if (length >= WORD_MAX) {
        return 0;
    }
    for (size_t i = 0; i < length; i++) {
        word[i] = hs_log_lower(text[i]);
    }
    for (size_t i = 0; i < sizeof table / sizeof table[0]; i++) {
        if (table[i].text[0] == word[0] && strlen(table[i].text) == length &&
            memcmp(table[i].text, word, length) == 0) {
            return table[i].means;
        }
    }
    return 0;
}

static bool word_byte(char byte)
{
    return hs_log_word_byte(byte) && byte != '_';
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
        if ((one->has & HS_LOG_HAS_FREE && one->free == value) ||
            (one->has & HS_LOG_HAS_LARGEST && one->largest == value) ||
            (one->has & HS_LOG_HAS_MIN && one->min == value)) {
            return true;
        }
    }
    return false;
}

/* The capabilities "MALLOC_CAP_DMA | MALLOC_CAP_8BIT"; returns how much of the text they are, 0: none. */
static size_t caps_read(hs_log_scan_words_t *scan, const char *text)
{
    size_t at = 0, end = 0;
    uint32_t caps = 0;
    while (strncmp(text + at, "MALLOC_CAP_", 11) == 0) {
        size_t length = 11;
        while (hs_log_word_byte(text[at + length])) {
            length++;
        }
        const uint32_t bit = hs_capability_bit(text + at, length);
        if (bit == 0) {
            break;
        }
        caps |= bit;
        end = at + length;
        at = end + strspn(text + end, " |");
    }
    scan->has_caps |= end != 0;
    scan->caps = end != 0 ? (int64_t)caps : scan->caps;
    return end;
}

/* The size among the arguments of a call, of which `number` is the first: "aligned_alloc(64, 4096)",
 * "calloc(16, 24)", "realloc(0x3ffb0000, 200)". */
static hs_log_quantity_t argument(const char *text, size_t at, hs_log_quantity_t number)
{
    const size_t next =
        number.end + 1 + (text[number.end] == ',' ? strspn(text + number.end + 1, " ") : 0);
    if (at < 7 || text[at - 1] != '(' || text[number.end] != ',' || !hs_log_is_digit(text[next])) {
        return number;
    }
    size_t start = at - 1;
    while (start > 0 && hs_log_word_byte(text[start - 1])) {
        start--;
    }
    char name[32] = "";
    hs_log_copy(name, sizeof name, text + start, at - 1 - start);
    hs_log_quantity_t second = hs_log_quantity_read(text, next);
    if (hs_log_contains(name, "calloc")) {
        second.value = second.value != 0 && number.value > INT64_MAX / second.value
                           ? INT64_MAX
                           : number.value * second.value;
        return second;
    }
    return hs_log_contains(name, "align") || (hs_log_contains(name, "realloc") && number.is_hex)
               ? second
               : number;
}

static void take_number(hs_log_scan_words_t *scan, const hs_log_quantity_t *number, char behind)
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
    bool behind_number = false;
    for (size_t at = 0; at < length;) {
        if (!word_byte(text[at])) {
            at++;
            continue;
        }
        if (hs_log_is_digit(text[at])) {
            const hs_log_quantity_t number = argument(text, at, hs_log_quantity_read(text, at));
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
            behind_number = true;
            continue;
        }
        size_t end = at;
        do {
            end++;
        } while (word_byte(text[end]) && !(text[end] >= 'A' && text[end] <= 'Z' &&
                                           text[end - 1] >= 'a' && text[end - 1] <= 'z'));
        const size_t caps = caps_read(scan, text + at);
        if (caps != 0) {
            at += caps;
            continue;
        }
        unsigned means = meaning(text + at, end - at);
        if (means == SIZE && behind_number && strncmp(text + at, "of ", 3) == 0) {
            means = 0; /* "15800 of 16000" */
        }
        behind_number = false;
        if (means & NOTHING && (scan->before & GAVE || (at > 1 && text[at - 2] == '='))) {
            means |= FAIL;
        }
        if (means & FAIL) {
            scan->is_name |= at > 0 && text[at - 1] == '_' && (scan->all & FAIL) == 0;
        }
        scan->is_short |= means & MEMORY && scan->before & SHORT;
        scan->is_short |= means & SHORT && scan->before & MEMORY && means & ~(unsigned)SHORT;
        const bool more = scan->before & SHORT && strncmp(text + at, "more ", 5) == 0;
        if (means != 0 || (end - at > 2 && !more)) { /* "out of memory" keeps its "out" */
            scan->before = means & SIZE && scan->before & SHORT ? scan->before : means;
        }
        scan->all |= means;
        at = end;
    }
}

bool hs_log_failure_read(const char *text, size_t length, const hs_lab_log_fact_t *figures,
                         size_t figure_count, hs_lab_log_fact_t *fact)
{
    hs_log_scan_words_t scan = {.figures = figures, .figure_count = figure_count};
    scan_words(text, length, &scan);
    const bool exhausted = hs_log_contains(text, "memory exhausted");
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
        fact->has |= HS_LOG_HAS_SIZE;
    }
    if (scan.has_caps) {
        fact->caps = scan.caps;
        fact->has |= HS_LOG_HAS_CAPS;
    }
    hs_log_tag_keep(fact, text, length);
    return true;
}
