/*
 * The log of glibc's mtrace(3): "@ CALLER + ADDRESS SIZE" (malloc and its like), "- ADDRESS",
 * "< ADDRESS" and "> ADDRESS SIZE" (realloc, from and to), "! ADDRESS SIZE" (a realloc that
 * failed), "= Start", "= End". "@ CALLER" may be missing. A failed malloc has "(nil)".
 */
#include <stdlib.h>
#include <string.h>

#include "import_form.h"
#include "name_index.h"

#define NO_PLACE SIZE_MAX

typedef struct mtrace_form {
    hs_name_index_t callers; /* their index + 1 is the site */
    uint64_t from;           /* realloc: the old address, until its second line */
    bool moving;
    bool begun; /* an event was seen */
} mtrace_form_t;

typedef struct mtrace_line {
    char kind; /* + - < > ! */
    uint64_t address, size;
    const uint8_t *caller;
    size_t caller_length;
} mtrace_line_t;

static void *begin(void)
{
    mtrace_form_t *form = calloc(1, sizeof *form);
    if (form != NULL && hs_name_index_init(&form->callers) != HS_OK) {
        hs_name_index_clear(&form->callers);
        free(form);
        return NULL;
    }
    return form;
}

static void end(void *state)
{
    mtrace_form_t *form = state;
    if (form != NULL) {
        hs_name_index_clear(&form->callers);
        free(form);
    }
}

/* ---- a line ----------------------------------------------------------------------------------- */

static bool hex_digit(uint8_t byte, unsigned *value)
{
    static const char digits[] = "0123456789abcdef";
    const char *match = byte == 0 ? NULL : strchr(digits, byte | 0x20);
    *value = match == NULL ? 0 : (unsigned)(match - digits);
    return match != NULL && byte != 0;
}

/* "0x1f", "0" or "(nil)", up to a blank or the end. */
static bool number_read(const uint8_t **at, const uint8_t *end, uint64_t *out)
{
    static const uint8_t nil[] = {'(', 'n', 'i', 'l', ')'};
    const uint8_t *byte = *at;
    *out = 0;
    if ((size_t)(end - byte) >= sizeof nil && memcmp(byte, nil, sizeof nil) == 0) {
        *at = byte + sizeof nil;
        return *at == end || **at == ' ';
    }
    byte += (size_t)(end - byte) > 2 && byte[0] == '0' && byte[1] == 'x' ? 2 : 0;
    unsigned digits = 0, value;
    for (; byte < end && digits < 16 && hex_digit(*byte, &value); byte++, digits++) {
        *out = *out << 4 | value;
    }
    *at = byte;
    return digits > 0 && (byte == end || *byte == ' ');
}

/* Where the last " + ", " - " ... stands: a caller's path may hold one too. */
static size_t kind_place(const uint8_t *text, size_t length)
{
    size_t place = NO_PLACE;
    for (size_t i = 0; i + 2 < length; i++) {
        const bool starts = i == 0 || text[i - 1] == ' ';
        if (starts && text[i + 1] == ' ' && text[i] != 0 && strchr("+-<>!", text[i]) != NULL) {
            place = i;
        }
    }
    return place;
}

static bool parse(const uint8_t *text, size_t length, mtrace_line_t *out)
{
    *out = (mtrace_line_t){0};
    const size_t place = kind_place(text, length);
    if (place == NO_PLACE) {
        return false;
    }
    out->kind = (char)text[place];
    if (place > 3 && text[0] == '@' && text[1] == ' ') {
        out->caller = text + 2;
        out->caller_length = place - 3;
    }
    const uint8_t *at = text + place + 2, *const end = text + length;
    if (!number_read(&at, end, &out->address)) {
        return false;
    }
    if (out->kind == '-' || out->kind == '<') {
        return at == end;
    }
    if (at == end) {
        return false;
    }
    at++;
    return number_read(&at, end, &out->size) && at == end;
}

/* ---- events ----------------------------------------------------------------------------------- */

static hs_status_t site_of(mtrace_form_t *form, hs_import_t *import, const mtrace_line_t *line,
                           uint32_t *site)
{
    *site = 0;
    if (line->caller_length == 0) {
        return HS_OK;
    }
    bool added;
    const hs_status_t status =
        hs_name_index_get(&form->callers, line->caller, line->caller_length, site, &added);
    if (status != HS_OK || *site == HS_NAME_INDEX_MAX) {
        *site = 0;
        return status == HS_ERR_ARGUMENT ? HS_OK : status; /* more than a table holds: unknown */
    }
    ++*site;
    return added ? hs_import_site(import, *site, (const char *)line->caller, line->caller_length)
                 : HS_OK;
}

static void tell_word_size(mtrace_form_t *form, hs_import_t *import, uint64_t address)
{
    if (!form->begun && address != 0) {
        form->begun = true;
        hs_import_fact(import, "word_size", (const uint8_t *)(address >> 32 != 0 ? "8" : "4"), 1);
    }
}

static hs_status_t allocated(hs_import_t *import, const mtrace_line_t *line, hs_event_t *event)
{
    if (line->address == 0) {
        event->kind = HS_EVENT_MALLOC;
        return hs_import_fail(import, event);
    }
    event->kind = HS_EVENT_MALLOC;
    event->key = hs_import_next(import);
    const hs_status_t status = hs_import_called(import, line->address);
    return status == HS_OK ? hs_import_event(import, event) : status;
}

static hs_status_t moved(mtrace_form_t *form, hs_import_t *import, const mtrace_line_t *line,
                         hs_event_t *event)
{
    form->moving = false;
    hs_status_t status = hs_import_renamed(import, form->from, line->address, &event->key);
    if (status == HS_OK && event->key == HS_KEY_NONE) {
        /* The block is older than the log: the old one is not known, the new one is. */
        const hs_event_t gone = {.kind = HS_EVENT_FREE, .key = HS_KEY_NONE};
        status = hs_import_event(import, &gone);
        return status == HS_OK ? allocated(import, line, event) : status;
    }
    event->kind = HS_EVENT_REALLOC;
    event->new_key = event->key;
    return status == HS_OK ? hs_import_event(import, event) : status;
}

static hs_status_t take(mtrace_form_t *form, hs_import_t *import, const mtrace_line_t *line)
{
    hs_event_t event = {.size = line->size};
    if (line->kind == '-') {
        event.kind = HS_EVENT_FREE;
        event.key = hs_import_release(import, line->address);
        return hs_import_event(import, &event);
    }
    const hs_status_t status = site_of(form, import, line, &event.site);
    if (status != HS_OK) {
        return status;
    }
    if (line->kind == '!') {
        event.kind = HS_EVENT_REALLOC;
        event.key = hs_import_find(import, line->address);
        return event.key == HS_KEY_NONE ? HS_OK : hs_import_fail(import, &event);
    }
    return line->kind == '>' && form->moving ? moved(form, import, line, &event)
                                             : allocated(import, line, &event);
}

static hs_status_t line_take(void *state, hs_import_t *import, const uint8_t *text, size_t length)
{
    mtrace_form_t *form = state;
    if (length > 0 && length <= HS_IMPORT_LINE_MAX && text[length - 1] == '\r') {
        length--;
    }
    if (length == 0 || (length >= 2 && text[0] == '=' && text[1] == ' ')) {
        return HS_OK;
    }
    mtrace_line_t line;
    if (length > HS_IMPORT_LINE_MAX || !parse(text, length, &line)) {
        return hs_import_bad(import, HS_IMPORT_NO_LINE, text, length);
    }
    tell_word_size(form, import, line.address);
    if (line.kind == '<') {
        form->moving = true;
        form->from = line.address;
        return HS_OK;
    }
    return take(form, import, &line);
}

const hs_import_lines_t hs_import_mtrace_lines = {
    .features = HS_TRACE_SITES, .begin = begin, .end = end, .line = line_take};
