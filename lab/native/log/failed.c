#include "failed.h"

#include <string.h>

/* A line without a size so few lines behind a failure says it again. */
#define AGAIN 30
/* "Out of memory" so close behind another line without a size says that again. */
#define SAME_BREATH 2
/* "Allocating frame buffer (115200 bytes)" this close before a failure tells its size. */
#define ASKED 8
#define UNKNOWN (-1)

void hs_log_failed_init(hs_log_failed_t *failed)
{
    memset(failed, 0, sizeof *failed);
    failed->last = HS_LOG_FAILED_MAX;
}

/* A number that cannot be below 0. */
static int64_t reported(const hs_lab_log_fact_t *fact, uint32_t bit, int64_t number)
{
    return (fact->has & bit) != 0 && number >= 0 ? number : UNKNOWN;
}

static int64_t size_of(const hs_lab_log_fact_t *fact)
{
    return reported(fact, HS_LOG_HAS_SIZE, fact->size);
}

/* Adds to a text as much of the other one as it has room for. */
static void append(char *text, size_t size, const char *more)
{
    size_t at = strlen(text);
    while (*more != '\0' && at < size - 1) {
        text[at++] = *more++;
    }
    text[at] = '\0';
}

static void append_number(char *text, size_t size, int64_t number)
{
    char digits[24];
    size_t at = sizeof digits;
    uint64_t left = number < 0 ? 0 - (uint64_t)number : (uint64_t)number;
    digits[--at] = '\0';
    do {
        digits[--at] = (char)('0' + left % 10);
        left /= 10;
    } while (left != 0);
    append(text, size, number < 0 ? "-" : "");
    append(text, size, digits + at);
}

static const hs_lab_log_failed_t *last_of(const hs_log_failed_t *failed)
{
    return failed->last < failed->kept ? &failed->rows[failed->last] : NULL;
}

/* The callback told the same request before the program ended, or the abort did before the core
 * dump, which repeats its message. */
static bool aborted(const hs_log_failed_t *failed, const hs_lab_log_fact_t *fact)
{
    const hs_lab_log_failed_t *last = last_of(failed);
    if (last == NULL || last->size != size_of(fact)) {
        return false;
    }
    const bool callback = strcmp(last->how, "callback") == 0;
    if (strstr(fact->quote, "Panic reason") != NULL) {
        return callback || strcmp(last->how, "abort") == 0;
    }
    return callback && fact->line - last->last <= AGAIN;
}

static bool add(hs_log_failed_t *failed, const hs_lab_log_fact_t *fact, const char *who,
                int64_t size, int64_t caps, const char *how)
{
    size_t at = 0;
    while (at < failed->kept && (failed->rows[at].size != size || failed->rows[at].caps != caps ||
                                 strcmp(failed->rows[at].who, who) != 0)) {
        at++;
    }
    failed->count++;
    failed->last = at;
    if (at == HS_LOG_FAILED_MAX) {
        return true;
    }
    hs_lab_log_failed_t *row = &failed->rows[at];
    if (at == failed->kept) {
        failed->kept++;
        *row = (hs_lab_log_failed_t){.first = fact->line,
                                     .size = size,
                                     .caps = caps,
                                     .free = reported(fact, HS_LOG_HAS_FREE, fact->free),
                                     .uptime = fact->before,
                                     .memory = fact->kind != HS_LOG_NOT_MEMORY};
        append(row->who, sizeof row->who, who);
        append(row->how, sizeof row->how, how);
        memcpy(row->quote, fact->quote, sizeof row->quote);
    }
    row->count++;
    row->last = fact->line;
    return true;
}

/* Whether the line says again what another one said. `sized`: only where that told a size. */
static bool said_again(const hs_log_failed_t *failed, const hs_lab_log_fact_t *fact, bool sized)
{
    const hs_lab_log_failed_t *last = last_of(failed);
    const bool tls = fact->kind == HS_LOG_TLS_ERROR, number = tls || fact->kind == HS_LOG_ERROR;
    if (last == NULL || (sized && last->size == UNKNOWN) ||
        fact->line - last->last > (number || last->size != UNKNOWN ? AGAIN : SAME_BREATH)) {
        return false;
    }
    if (tls && strcmp(last->how, "tls") == 0 && (fact->has & HS_LOG_HAS_CODE) == 0) {
        return strcmp(last->who, fact->name) == 0; /* or it is another part of the library */
    }
    return true;
}

/* Words in front of a colon that name nobody, and a placeholder that a program printed as it stood. */
static bool is_nobody(const char *name)
{
    static const char *const levels[] = {
        "Warn",    "Error",         "E",     "W",    "I",    "ERROR", "WARN",   "WARNING", "error",
        "warning", "function_name", "PANIC", "heap", "Heap", "mem",   "memory", "MEM"};
    for (size_t i = 0; i < sizeof levels / sizeof levels[0]; i++) {
        if (strcmp(name, levels[i]) == 0) {
            return true;
        }
    }
    return false;
}

static bool is_word(char letter)
{
    return (letter >= '0' && letter <= '9') || (letter >= 'a' && letter <= 'z') ||
           (letter >= 'A' && letter <= 'Z') || letter == '_';
}

/* "name" of "func: name", "function: name". */
static void function_of(const char *quote, char *name, size_t size)
{
    for (const char *at = strstr(quote, "func"); at != NULL; at = strstr(at + 1, "func")) {
        const char *end = at;
        while (is_word(*end)) {
            end++;
        }
        if ((at != quote && is_word(at[-1])) || end[0] != ':' || end[1] != ' ' ||
            !is_word(end[2])) {
            continue;
        }
        size_t length = 0;
        for (end += 2; is_word(end[length]) && length < size - 1; length++) {
            name[length] = end[length];
        }
        name[length] = '\0';
        return;
    }
}

static bool request(hs_log_failed_t *failed, const hs_lab_log_fact_t *fact)
{
    int64_t size = size_of(fact);
    char who[sizeof fact->name];
    memcpy(who, fact->name, sizeof who);
    if (size == UNKNOWN) {
        if (failed->asked_line != 0 && fact->line - failed->asked_line <= ASKED) {
            size = failed->asked_size;
        } else if (said_again(failed, fact, strcmp(fact->text, "no memory") != 0)) {
            return false;
        }
    }
    failed->asked_line = 0;
    const hs_lab_log_failed_t *last = last_of(failed);
    if (who[0] == '\0' && strcmp(fact->text, "ESP8266") == 0 && last != NULL &&
        last->size == size && fact->line - last->last <= AGAIN) {
        return false; /* the core dump of an ESP8266 tells it again */
    }
    if (who[0] == '\0') {
        function_of(fact->quote, who, 61);
    }
    const char *how = fact->text[0] != '\0' ? fact->text : "words";
    how = (fact->flags & HS_LOG_WEAK) != 0 ? "weak" : how;
    return add(failed, fact, is_nobody(who) ? "" : who, size,
               reported(fact, HS_LOG_HAS_CAPS, fact->caps), how);
}

/* Somebody who is named in a fact, and whose request has no size. */
static bool named(hs_log_failed_t *failed, const hs_lab_log_fact_t *fact, const char *what,
                  const char *how)
{
    char who[sizeof failed->rows[0].who] = "";
    append(who, sizeof who, what);
    append(who, sizeof who, fact->name);
    return add(failed, fact, who, UNKNOWN, UNKNOWN, how);
}

static bool wifi_buffer(hs_log_failed_t *failed, const hs_lab_log_fact_t *fact)
{
    char who[sizeof failed->rows[0].who] = "Wi-Fi buffer of type ";
    if ((fact->has & HS_LOG_HAS_CODE) != 0) {
        append_number(who, sizeof who, fact->code);
    } else {
        append(who, sizeof who, "None");
    }
    return add(failed, fact, who, size_of(fact), UNKNOWN, "wifi buffer");
}

/* A number says why a call failed; the request itself may have been told before. */
static bool number(hs_log_failed_t *failed, const hs_lab_log_fact_t *fact)
{
    const bool tls = fact->kind == HS_LOG_TLS_ERROR;
    const hs_lab_log_failed_t *last = last_of(failed);
    if (last != NULL && last->last == fact->line) {
        return false; /* the number and its name */
    }
    const bool anew = last != NULL && memcmp(last->quote, fact->quote, sizeof last->quote) == 0;
    if ((fact->flags & HS_LOG_NO_MEMORY) == 0 || (!anew && said_again(failed, fact, false))) {
        return false; /* a caller's word for it; the same line is another call */
    }
    const char *who = fact->name[0] == '\0' && tls ? "TLS" : fact->name;
    return add(failed, fact, who, UNKNOWN, UNKNOWN, tls ? "tls" : "error");
}

bool hs_log_failed_take(hs_log_failed_t *failed, const hs_lab_log_fact_t *fact)
{
    switch (fact->kind) {
    case HS_LOG_ASKED:
        failed->asked_line = fact->line;
        failed->asked_size = size_of(fact);
        return false;
    case HS_LOG_FAILED:
        return request(failed, fact);
    case HS_LOG_ABORT_REQUEST:
        return !aborted(failed, fact) && add(failed, fact, "", size_of(fact),
                                             reported(fact, HS_LOG_HAS_CAPS, fact->caps), "abort");
    case HS_LOG_PYTHON_ERROR:
        return add(failed, fact, "Python", size_of(fact), UNKNOWN, "python");
    case HS_LOG_WIFI_BUFFER:
        return wifi_buffer(failed, fact);
    case HS_LOG_WIFI_FRAME:
        return named(failed, fact, "Wi-Fi frame ", "wifi frame");
    case HS_LOG_WIFI_RX:
        return add(failed, fact, "Wi-Fi receive buffers", UNKNOWN, UNKNOWN, "wifi rx");
    case HS_LOG_TASK_FAILED:
        return named(failed, fact, "task ", "task");
    case HS_LOG_NOT_MEMORY: /* a task was not created, for another reason */
        return strncmp(fact->text, "FreeRTOS", 8) == 0 && named(failed, fact, "task ", "task");
    case HS_LOG_CORRUPT:
        return strcmp(fact->name, "block_locate_free") == 0 &&
               strcmp(fact->text, "heap_tlsf.c") == 0 &&
               add(failed, fact, "assert of block_locate_free", UNKNOWN, UNKNOWN, "assert");
    case HS_LOG_TLS_ERROR:
    case HS_LOG_ERROR:
        return number(failed, fact);
    default:
        return false;
    }
}

size_t hs_log_failed_rows(const hs_log_failed_t *failed, hs_lab_log_failed_t *rows, size_t capacity)
{
    bool buffer = false, other = false;
    for (size_t i = 0; i < failed->kept; i++) {
        buffer |= strcmp(failed->rows[i].how, "wifi buffer") == 0;
        other |= failed->rows[i].memory == 0;
    }
    size_t count = 0;
    for (size_t i = 0; i < failed->kept; i++) {
        const char *how = failed->rows[i].how;
        if ((buffer && strcmp(how, "wifi frame") == 0) || (other && strcmp(how, "weak") == 0)) {
            continue;
        }
        if (count < capacity) {
            rows[count] = failed->rows[i];
        }
        count++;
    }
    return count;
}
