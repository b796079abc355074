/*
 * heaptrack's data. `heaptrack` writes it interpreted: "s" strings, "i" instruction pointers
 * with their frames, "t" stacks, "a" pairs of size and stack, "+" and "-" of such a pair. It no more
 * tells which block of a pair is freed: the youngest is taken, and counted as guessed where there
 * are several. `heaptrack --raw` keeps addresses ("+ SIZE STACK ADDRESS", "- ADDRESS"), and so did
 * the first version. Numbers are hexadecimal.
 */
#include <stdlib.h>
#include <string.h>

#include "heaptrack_names.h"
#include "import_form.h"

#define NOWHERE UINT32_MAX
#define SIZE_UNKNOWN UINT64_MAX /* of a pair that could not be read */
#define FRAMES_MAX 32u          /* inlined into one another */
#define FIELDS_MAX (2 + 3 * FRAMES_MAX)
#define STRINGS_HAVE_LENGTHS 3 /* from this version of the file on */

typedef struct ht_pair {
    uint64_t size, stack;
    uint32_t youngest; /* live block; NOWHERE: none */
    uint32_t live;
} ht_pair_t;

typedef struct ht_block {
    uint64_t key;
    uint32_t older; /* of the same pair, or the next unused entry */
} ht_block_t;

typedef struct heaptrack_form {
    hs_ht_names_t names;
    char site[HS_SITE_NAME_MAX]; /* the name that is being made */
    ht_pair_t *pairs;
    ht_block_t *blocks;
    size_t pair_count, pair_room;
    size_t block_count, block_room;
    uint32_t unused;  /* entry of `blocks` */
    uint32_t program; /* raw: number of the executable's string */
    uint64_t version;
    uint64_t time; /* milliseconds */
    bool begun;    /* an event was seen */
} heaptrack_form_t;

/* A line's numbers; those beyond the last field are left out. */
typedef struct ht_line {
    uint64_t fields[FIELDS_MAX];
    size_t count;
} ht_line_t;

static void *begin(void)
{
    heaptrack_form_t *form = calloc(1, sizeof *form);
    if (form != NULL) {
        form->unused = NOWHERE;
    }
    return form;
}

static void end(void *state)
{
    heaptrack_form_t *form = state;
    if (form != NULL) {
        hs_ht_names_clear(&form->names);
        free(form->pairs);
        free(form->blocks);
        free(form);
    }
}

/* ---- numbers ---------------------------------------------------------------------------------- */

static bool number_read(const uint8_t **at, const uint8_t *limit, uint64_t *out)
{
    const uint8_t *byte = *at;
    uint64_t number = 0;
    unsigned digits = 0;
    for (; byte < limit && *byte != ' '; byte++, digits++) {
        const uint8_t low = *byte | 0x20;
        const bool decimal = *byte >= '0' && *byte <= '9';
        if ((!decimal && (low < 'a' || low > 'f')) || digits == 16) {
            return false;
        }
        number = number << 4 | (decimal ? (unsigned)*byte - '0' : (unsigned)low - 'a' + 10);
    }
    *out = number;
    *at = byte;
    return digits > 0;
}

/* The numbers of a line behind its letter, with one blank before each. */
static bool numbers_read(const uint8_t *text, size_t length, ht_line_t *out)
{
    const uint8_t *at = text + 1, *const limit = text + length;
    out->count = 0;
    while (at < limit && out->count < FIELDS_MAX) {
        if (*at != ' ') {
            return false;
        }
        at++;
        if (at == limit) { /* a blank at the end */
            break;
        }
        if (!number_read(&at, limit, &out->fields[out->count++])) {
            return false;
        }
    }
    return true;
}

/* ---- blocks of a pair ------------------------------------------------------------------------- */

static hs_status_t pair_add(heaptrack_form_t *form, uint64_t size, uint64_t stack)
{
    if (form->pair_count == form->pair_room) {
        const size_t room = form->pair_room == 0 ? 64 : form->pair_room * 2;
        ht_pair_t *const built = realloc(form->pairs, room * sizeof *built);
        if (built == NULL) {
            return HS_ERR_MEMORY;
        }
        form->pairs = built;
        form->pair_room = room;
    }
    form->pairs[form->pair_count++] =
        (ht_pair_t){.size = size, .stack = stack, .youngest = NOWHERE};
    return HS_OK;
}

static hs_status_t block_push(heaptrack_form_t *form, ht_pair_t *pair, uint64_t key)
{
    uint32_t entry = form->unused;
    if (entry != NOWHERE) {
        form->unused = form->blocks[entry].older;
    } else {
        if (form->block_count == form->block_room) {
            const size_t room = form->block_room == 0 ? 64 : form->block_room * 2;
            ht_block_t *const built =
                room >= NOWHERE ? NULL : realloc(form->blocks, room * sizeof *built);
            if (built == NULL) {
                return HS_ERR_MEMORY;
            }
            form->blocks = built;
            form->block_room = room;
        }
        entry = (uint32_t)form->block_count++;
    }
    form->blocks[entry] = (ht_block_t){.key = key, .older = pair->youngest};
    pair->youngest = entry;
    pair->live++;
    return HS_OK;
}

static uint64_t block_pop(heaptrack_form_t *form, ht_pair_t *pair)
{
    const uint32_t entry = pair->youngest;
    if (entry == NOWHERE) {
        return HS_KEY_NONE;
    }
    pair->youngest = form->blocks[entry].older;
    pair->live--;
    form->blocks[entry].older = form->unused;
    form->unused = entry;
    return form->blocks[entry].key;
}

/* ---- events ----------------------------------------------------------------------------------- */

static void tell_word_size(heaptrack_form_t *form, hs_import_t *import)
{
    if (!form->begun) {
        form->begun = true;
        const char *const size = form->names.highest >> 32 != 0 ? "8" : "4";
        hs_import_fact(import, "word_size", (const uint8_t *)size, 1);
    }
}

static hs_status_t site_of(heaptrack_form_t *form, hs_import_t *import, uint64_t stack,
                           uint32_t *site)
{
    *site = 0;
    if (stack == 0 || stack > form->names.stack_count) {
        return HS_OK;
    }
    hs_ht_stack_t *const one = &form->names.stacks[stack - 1];
    if (one->site == 0 && form->names.sites < HS_NAME_INDEX_MAX) {
        const size_t length = hs_ht_site_name(&form->names, stack, form->site);
        one->site = ++form->names.sites;
        const hs_status_t status = hs_import_site(import, one->site, form->site, length);
        if (status != HS_OK) {
            return status;
        }
    }
    *site = one->site;
    return HS_OK;
}

static hs_status_t allocated(heaptrack_form_t *form, hs_import_t *import, uint64_t size,
                             uint64_t stack)
{
    tell_word_size(form, import);
    hs_event_t event = {.kind = HS_EVENT_MALLOC, .size = size, .time = form->time};
    const hs_status_t status = site_of(form, import, stack, &event.site);
    event.key = hs_import_next(import);
    return status == HS_OK ? hs_import_event(import, &event) : status;
}

static hs_status_t freed(heaptrack_form_t *form, hs_import_t *import, uint64_t key)
{
    const hs_event_t event = {.kind = HS_EVENT_FREE, .key = key, .time = form->time};
    return hs_import_event(import, &event);
}

static bool by_address(const heaptrack_form_t *form)
{
    return form->names.raw || form->version == 0;
}

static hs_status_t plus(heaptrack_form_t *form, hs_import_t *import, const ht_line_t *line,
                        bool *good)
{
    const uint64_t *const given = line->fields;
    hs_status_t status;
    if (by_address(form)) {
        *good = line->count == 3;
        status = *good ? hs_import_called(import, given[2]) : HS_OK;
        return *good && status == HS_OK ? allocated(form, import, given[0], given[1]) : status;
    }
    *good = line->count == 1 && given[0] < form->pair_count &&
            form->pairs[given[0]].size != SIZE_UNKNOWN;
    if (!*good) {
        return HS_OK;
    }
    ht_pair_t *const pair = &form->pairs[given[0]];
    status = block_push(form, pair, hs_import_next(import));
    return status == HS_OK ? allocated(form, import, pair->size, pair->stack) : status;
}

static hs_status_t minus(heaptrack_form_t *form, hs_import_t *import, const ht_line_t *line,
                         bool *good)
{
    *good = line->count == 1 &&
            (by_address(form) || (line->fields[0] < form->pair_count &&
                                  form->pairs[line->fields[0]].size != SIZE_UNKNOWN));
    if (!*good) {
        return HS_OK;
    }
    if (by_address(form)) {
        return freed(form, import, hs_import_release(import, line->fields[0]));
    }
    ht_pair_t *const pair = &form->pairs[line->fields[0]];
    if (pair->live > 1) {
        hs_import_guessed(import);
    }
    return freed(form, import, block_pop(form, pair));
}

/* ---- names ------------------------------------------------------------------------------------ */

/* "s LENGTH STRING", in older files "s STRING". The rest of a long line may not be there. */
static const uint8_t *string_in(const heaptrack_form_t *form, const uint8_t *text, size_t have,
                                size_t *length)
{
    const uint8_t *at = text + 2, *const limit = text + have;
    uint64_t stated;
    if (form->version >= STRINGS_HAVE_LENGTHS) {
        if (!number_read(&at, limit, &stated) || at == limit) {
            return NULL;
        }
        at++;
    }
    *length = (size_t)(limit - at);
    return at;
}

static hs_status_t place_take(heaptrack_form_t *form, const ht_line_t *line, bool *good)
{
    uint64_t frames[FRAMES_MAX][3];
    const size_t count = line->count < 2 ? 0 : (line->count - 2 + 1) / 3;
    *good = line->count >= 2;
    for (size_t i = 0; i < 3 * count; i++) { /* a function without a file ends the line */
        frames[i / 3][i % 3] = 2 + i < line->count ? line->fields[2 + i] : 0;
    }
    return *good ? hs_ht_place(&form->names, line->fields[0], line->fields[1],
                               (const uint64_t (*)[3])frames, count)
                 : HS_OK;
}

/* "m LENGTH PATH BASE [OFFSET SIZE]...": raw only; "m 1 -": all that were listed before are gone. */
static hs_status_t module_take(heaptrack_form_t *form, const uint8_t *text, size_t have)
{
    form->names.raw = true;
    const uint8_t *at = text + 2, *const limit = text + have;
    uint64_t length = 0, base, offset, size;
    if (!number_read(&at, limit, &length) || length >= (size_t)(limit - at)) {
        return HS_OK; /* cut, or of another version: addresses stay bare */
    }
    const uint8_t *const path = ++at;
    if (length == 1 && *path == '-') {
        hs_ht_modules_drop(&form->names);
        return HS_OK;
    }
    const bool executable = length == 1 && *path == 'x' && form->program != 0;
    hs_status_t status = executable ? HS_OK : hs_ht_string(&form->names, path, (size_t)length);
    const uint32_t name = executable ? form->program : (uint32_t)form->names.string_count;
    at += length;
    if (at == limit || *at++ != ' ' || !number_read(&at, limit, &base)) {
        return status;
    }
    while (status == HS_OK && at < limit && *at++ == ' ' && number_read(&at, limit, &offset) &&
           at < limit && *at++ == ' ' && number_read(&at, limit, &size)) {
        status = hs_ht_module(&form->names, name, base, base + offset, size);
    }
    return status;
}

static hs_status_t text_take(heaptrack_form_t *form, hs_import_t *import, const uint8_t *text,
                             size_t have, bool *good)
{
    size_t length = 0;
    const uint8_t *string = NULL;
    switch (text[0]) {
    case 's':
        string = string_in(form, text, have, &length);
        *good = string != NULL;
        return *good ? hs_ht_string(&form->names, string, length) : HS_OK;
    case 'x':
        form->names.raw = true;
        string = string_in(form, text, have, &length);
        if (string == NULL) {
            return HS_OK;
        }
        form->program = (uint32_t)form->names.string_count + 1;
        return hs_ht_string(&form->names, string, length);
    case 'X':
        hs_import_fact(import, "program", text + 2, have - 2);
        return HS_OK;
    case 'm':
        return module_take(form, text, have);
    default: /* A attached, S suppressions, # comments */
        *good = text[0] == 'A' || text[0] == 'S' || text[0] == '#';
        return HS_OK;
    }
}

/* Strings, places, stacks and pairs are known by their turn, so that one which cannot be read takes
 * its turn too: else all that follow would have each other's names and sizes. */
static hs_status_t turn_take(heaptrack_form_t *form, const uint8_t *text, size_t length)
{
    static const uint8_t unknown[] = {'?'};
    if (length > 1 && text[1] != ' ') {
        return HS_OK; /* no line of heaptrack's at all */
    }
    switch (text[0]) {
    case 's':
        return hs_ht_string(&form->names, unknown, sizeof unknown);
    case 'i':
        return hs_ht_place(&form->names, 0, 0, NULL, 0);
    case 't':
        return hs_ht_stack(&form->names, 0, 0);
    case 'a':
        return pair_add(form, SIZE_UNKNOWN, 0);
    default:
        return HS_OK;
    }
}

/* ---- lines ------------------------------------------------------------------------------------ */

static hs_status_t numbers_take(heaptrack_form_t *form, hs_import_t *import, char kind,
                                const ht_line_t *line, bool *good)
{
    const uint64_t *const given = line->fields;
    switch (kind) {
    case '+':
        return plus(form, import, line, good);
    case '-':
        return minus(form, import, line, good);
    case 't':
        *good = line->count == 2;
        return *good ? hs_ht_stack(&form->names, given[0], given[1]) : HS_OK;
    case 'i':
        return place_take(form, line, good);
    case 'a':
        *good = line->count == 2;
        return *good ? pair_add(form, given[0], given[1]) : HS_OK;
    case 'c':
        *good = line->count == 1;
        form->time = *good && given[0] > form->time ? given[0] : form->time;
        return HS_OK;
    case 'v':
        *good = line->count >= 1;
        form->version = line->count >= 2 ? given[1] : 0;
        return HS_OK;
    default: /* R memory in use by the process, I pages of the system */
        *good = kind == 'R' || kind == 'I';
        return HS_OK;
    }
}

static hs_status_t line_take(void *state, hs_import_t *import, const uint8_t *text, size_t length)
{
    heaptrack_form_t *form = state;
    const size_t have = length < HS_IMPORT_LINE_MAX ? length : HS_IMPORT_LINE_MAX;
    if (length == 0) {
        return HS_OK;
    }
    bool good = true;
    hs_status_t status = HS_OK;
    if (strchr("+-tiacvRI", text[0]) != NULL && text[0] != 0) {
        ht_line_t line;
        good = length == have && numbers_read(text, length, &line);
        if (good) {
            status = numbers_take(form, import, (char)text[0], &line, &good);
        }
    } else if (text[0] == '#' || (length >= 2 && text[1] == ' ')) {
        status = text_take(form, import, text, have, &good);
    } else {
        good = false;
    }
    if (!good) {
        const hs_status_t kept = hs_import_bad(import, HS_IMPORT_NO_LINE, text, have);
        status = status == HS_OK ? kept : status;
        status = status == HS_OK ? turn_take(form, text, have) : status;
    }
    return status;
}

const hs_import_lines_t hs_import_heaptrack_lines = {
    .features = HS_TRACE_SITES | HS_TRACE_CLOCK, .begin = begin, .end = end, .line = line_take};
