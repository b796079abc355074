/*
 * Dumps of named pools in a log, a line for each pool: "NAME:     USED of     SIZE (P%) used". PJLIB's caching pool
 * (pjsua's "dd", pj_pool_factory_dump) has "cachpool" before it, with anything before that, and puts the lines between
 * "Dumping all active pools:" and "Total USED of SIZE (P %) used!". hs_pools_dump() ends them by "total: ...". A dump
 * becomes the pool events that lead to it from the one before, and a mark. Where the lines that begin and
 * end a dump were cut away, a jump in time or other text ends it.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "import_form.h"
#include "name_index.h"

#define WORD "cachpool"
#define NAME_MAX_BYTES 64u
#define TIME_MAX 16u
#define DIGITS_MAX 12u
#define INSTANCES_MAX 4096u /* pools in one dump */
#define OTHERS_MAX 4u       /* other lines between two of one dump */
#define PAUSE_MS 1000       /* between two of one dump */

typedef struct dumped {
    char name[NAME_MAX_BYTES];
    uint32_t occurrence; /* pools of one name in a dump are distinguished by their order */
    uint32_t pool;       /* in the trace */
    uint64_t used, size; /* in the dump before; size 0: it was not there */
    uint64_t new_used, new_size;
    bool seen; /* in the dump that is being read */
} dumped_t;

typedef struct pjsip_form {
    dumped_t *pools; /* those of the dump before, and of this one */
    size_t count, room;
    uint32_t next_pool, dumps;
    bool in_dump;
    char time[TIME_MAX + 1]; /* of the dump, as the log has it; "": it has none */
    int64_t clock;           /* ms since midnight of its last line; -1: not told */
    unsigned others;         /* other lines since then */
} pjsip_form_t;

static void *begin(void)
{
    return calloc(1, sizeof(pjsip_form_t));
}

static void end(void *state)
{
    pjsip_form_t *form = state;
    if (form != NULL) {
        free(form->pools);
        free(form);
    }
}

/* ---- a line ------------------------------------------------------------------------------------ */

typedef struct dump_line {
    char name[NAME_MAX_BYTES];
    uint64_t used, size;
} dump_line_t;

static size_t blanks(const uint8_t *text, size_t length)
{
    size_t count = 0;
    while (count < length && (text[count] == ' ' || text[count] == '\t')) {
        count++;
    }
    return count;
}

/* Digits, so few that those of a whole dump add up; how many bytes they took with the blanks before them; 0: none. */
static size_t number_read(const uint8_t *text, size_t length, uint64_t *out)
{
    size_t at = blanks(text, length), first = at;
    *out = 0;
    while (at < length && at - first < DIGITS_MAX && text[at] >= '0' && text[at] <= '9') {
        *out = *out * 10 + (uint64_t)(text[at++] - '0');
    }
    return at == first ? 0 : at;
}

static size_t skip(const uint8_t *text, size_t length, const char *word)
{
    size_t at = blanks(text, length), size = strlen(word);
    return length - at >= size && memcmp(text + at, word, size) == 0 ? at + size : 0;
}

/* The text after the first "cachpool"; a name may hold the word, too. */
static const uint8_t *after_word(const uint8_t *text, size_t *length)
{
    const size_t size = sizeof WORD - 1;
    for (size_t at = 0; at + size <= *length; at++) {
        if (memcmp(text + at, WORD, size) == 0) {
            *length -= at + size;
            return text + at + size;
        }
    }
    return NULL;
}

/* "NAME: USED of SIZE (P%) used"; the colon is where `at` says. */
static bool pool_read(const uint8_t *text, size_t length, size_t at, dump_line_t *out)
{
    size_t begin_at = blanks(text, length);
    size_t named = at - begin_at;
    if (at >= length || named == 0 || named >= NAME_MAX_BYTES) {
        return false;
    }
    memcpy(out->name, text + begin_at, named);
    out->name[named] = 0;
    at++;
    size_t step = number_read(text + at, length - at, &out->used);
    at += step;
    size_t of = step == 0 ? 0 : skip(text + at, length - at, "of");
    at += of;
    size_t last = of == 0 ? 0 : number_read(text + at, length - at, &out->size);
    at += last;
    return last != 0 && skip(text + at, length - at, "(") != 0 && out->size > 0 &&
           out->used <= out->size && strchr(out->name, ' ') == NULL;
}

static size_t colon(const uint8_t *text, size_t length)
{
    size_t at = 0;
    while (at < length && text[at] != ':') {
        at++;
    }
    return at;
}

/* A line of hs_pools_dump(), which ends with "%) used" and what follows that in the sum. Anything may stand before the
 * name, which is one word. */
static bool own_read(const uint8_t *text, size_t length, dump_line_t *out)
{
    static const char end[] = "%) used";
    size_t last = 0;
    for (size_t at = 0; at + sizeof end - 1 <= length; at++) {
        last = memcmp(text + at, end, sizeof end - 1) == 0 ? at : last;
    }
    size_t at = last;
    while (at > 0 && text[at] != ':') {
        at--;
    }
    size_t name = at;
    while (name > 0 && text[name - 1] != ' ' && text[name - 1] != '\t') {
        name--;
    }
    return last != 0 && pool_read(text + name, length - name, at - name, out);
}

/* ---- dumps ------------------------------------------------------------------------------------- */

static hs_status_t pool_event(hs_import_t *import, uint8_t kind, uint32_t pool, uint64_t size)
{
    const hs_event_t event = {.kind = kind, .key = pool, .size = size};
    return hs_import_event(import, &event);
}

static dumped_t *find(pjsip_form_t *form, const char *name, uint32_t occurrence)
{
    for (size_t i = 0; i < form->count; i++) {
        if (form->pools[i].occurrence == occurrence && strcmp(form->pools[i].name, name) == 0) {
            return &form->pools[i];
        }
    }
    return NULL;
}

static uint32_t occurrences(const pjsip_form_t *form, const char *name)
{
    uint32_t count = 0;
    for (size_t i = 0; i < form->count; i++) {
        count += form->pools[i].seen && strcmp(form->pools[i].name, name) == 0;
    }
    return count;
}

static size_t seen(const pjsip_form_t *form)
{
    size_t count = 0;
    for (size_t i = 0; i < form->count; i++) {
        count += form->pools[i].seen;
    }
    return count;
}

static hs_status_t add(pjsip_form_t *form, const dump_line_t *line, uint32_t occurrence,
                       dumped_t **out)
{
    if (form->count == form->room) {
        size_t room = form->room == 0 ? 64 : form->room * 2;
        dumped_t *pools = realloc(form->pools, room * sizeof *pools);
        if (pools == NULL) {
            return HS_ERR_MEMORY;
        }
        form->pools = pools;
        form->room = room;
    }
    *out = &form->pools[form->count++];
    **out = (dumped_t){.occurrence = occurrence, .pool = form->next_pool++};
    memcpy((*out)->name, line->name, NAME_MAX_BYTES);
    return HS_OK;
}

/* Kept until the dump is whole: what a pool gave back between two dumps comes before what another
 * one took, so that no moment between them holds more than either. */
static hs_status_t take(pjsip_form_t *form, hs_import_t *import, const dump_line_t *line)
{
    uint32_t occurrence = occurrences(form, line->name);
    dumped_t *pool = find(form, line->name, occurrence);
    hs_status_t status = HS_OK;
    if (pool == NULL) {
        status = add(form, line, occurrence, &pool);
        if (status == HS_OK) {
            status = hs_import_pool(import, pool->pool, pool->name);
        }
    }
    if (status == HS_OK) {
        pool->new_used = line->used;
        pool->new_size = line->size;
        pool->seen = true;
    }
    return status;
}

/* ---- a whole dump ------------------------------------------------------------------------------ */

static bool has_shrunk(const dumped_t *pool)
{
    return pool->new_size < pool->size || pool->new_used < pool->used;
}

/* Emptied since, and larger than before: it takes more than it gives back. */
static bool has_taken(const dumped_t *pool)
{
    return pool->new_size > pool->size || !has_shrunk(pool);
}

/* A new pool, or one emptied since: as if it were created so. */
static hs_status_t created(hs_import_t *import, const dumped_t *pool)
{
    hs_status_t status = pool_event(import, HS_EVENT_POOL_CREATE, pool->pool, pool->new_size);
    return status == HS_OK ? pool_event(import, HS_EVENT_POOL_ALLOC, pool->pool, pool->new_used)
                           : status;
}

static hs_status_t grown(hs_import_t *import, const dumped_t *pool)
{
    hs_status_t status = HS_OK;
    uint64_t size = pool->new_size - pool->size, used = pool->new_used - pool->used;
    if (size > 0) {
        status = pool_event(import, HS_EVENT_POOL_GROW, pool->pool, size);
    }
    if (status == HS_OK && used > 0) {
        status = pool_event(import, HS_EVENT_POOL_ALLOC, pool->pool, used);
    }
    return status;
}

static hs_status_t given_back(const pjsip_form_t *form, hs_import_t *import)
{
    hs_status_t status = HS_OK;
    for (size_t i = 0; i < form->count && status == HS_OK; i++) {
        const dumped_t *pool = &form->pools[i];
        if (!pool->seen) {
            status = pool_event(import, HS_EVENT_POOL_RELEASE, pool->pool, 0);
        } else if (!has_taken(pool)) {
            status = created(import, pool);
        }
    }
    return status;
}

static hs_status_t taken(const pjsip_form_t *form, hs_import_t *import)
{
    hs_status_t status = HS_OK;
    for (size_t i = 0; i < form->count && status == HS_OK; i++) {
        const dumped_t *pool = &form->pools[i];
        if (pool->seen && has_taken(pool)) {
            bool anew = pool->size == 0 || has_shrunk(pool);
            status = anew ? created(import, pool) : grown(import, pool);
        }
    }
    return status;
}

/* Pools that this dump does not have are forgotten, the others wait for the next one. */
static void keep_seen(pjsip_form_t *form)
{
    size_t kept = 0;
    for (size_t i = 0; i < form->count; i++) {
        dumped_t pool = form->pools[i];
        if (pool.seen) {
            pool.used = pool.new_used;
            pool.size = pool.new_size;
            pool.seen = false;
            form->pools[kept++] = pool;
        }
    }
    form->count = kept;
}

static hs_status_t finish_dump(pjsip_form_t *form, hs_import_t *import)
{
    hs_status_t status = given_back(form, import);
    if (status == HS_OK) {
        status = taken(form, import);
    }
    keep_seen(form);
    form->in_dump = false;
    char name[48];
    int length = snprintf(name, sizeof name, "dump %u%s%s", (unsigned)++form->dumps,
                          form->time[0] == 0 ? "" : " ", form->time);
    uint32_t index = 0;
    if (status == HS_OK) {
        status =
            hs_import_named(import, HS_NAMES_MARK, (const uint8_t *)name, (size_t)length, &index);
    }
    const hs_event_t mark = {.kind = HS_EVENT_MARK, .key = index};
    return status == HS_OK ? hs_import_event(import, &mark) : status;
}

/* Milliseconds of "19:04:16.888" at the line's beginning; -1: it has none. */
static int64_t clock_read(const uint8_t *text, size_t length)
{
    static const unsigned scales[] = {3600000, 60000, 1000, 1};
    size_t at = blanks(text, length);
    int64_t clock = 0;
    for (size_t i = 0; i < sizeof scales / sizeof scales[0]; i++) {
        int64_t part = 0;
        size_t digits = 0;
        while (at < length && digits < 3 && text[at] >= '0' && text[at] <= '9') {
            part = part * 10 + (text[at++] - '0');
            digits++;
        }
        if (digits == 0) {
            return i < 3 ? -1 : clock; /* whole seconds */
        }
        clock += part * scales[i];
        const bool more = at < length && (text[at] == ':' || text[at] == '.');
        if (!more && i < 2) {
            return -1;
        }
        at += more;
    }
    return clock;
}

/* Is the line of another dump than the line of a pool before it? */
static bool is_later(const pjsip_form_t *form, int64_t clock)
{
    const int64_t passed = clock - form->clock;
    return form->others > OTHERS_MAX ||
           (clock >= 0 && form->clock >= 0 && (passed > PAUSE_MS || passed < -PAUSE_MS));
}

static void time_keep(pjsip_form_t *form, const uint8_t *text, size_t length)
{
    size_t at = blanks(text, length), count = 0;
    while (at + count < length && count < TIME_MAX && text[at + count] != 0 &&
           strchr("0123456789:.", text[at + count]) != NULL) {
        count++;
    }
    bool time = memchr(text + at, ':', count) != NULL;
    memcpy(form->time, text + at, time ? count : 0);
    form->time[time ? count : 0] = 0;
}

static hs_status_t line(void *state, hs_import_t *import, const uint8_t *text, size_t length)
{
    pjsip_form_t *form = state;
    size_t rest = length < HS_IMPORT_LINE_MAX ? length : HS_IMPORT_LINE_MAX;
    const uint8_t *stated = after_word(text, &rest);
    dump_line_t match;
    if (stated == NULL) {
        if (!own_read(text, rest, &match)) { /* the log's own lines, and those of other tools */
            form->others++;
            return HS_OK;
        }
        if (strcmp(match.name, "total") == 0) {
            return form->in_dump ? finish_dump(form, import) : HS_OK;
        }
    } else if (skip(stated, rest, "Dumping") != 0 || skip(stated, rest, "Capacity=") != 0 ||
               skip(stated, rest, "Total") != 0) {
        return form->in_dump ? finish_dump(form, import) : HS_OK;
    } else if (!pool_read(stated, rest, colon(stated, rest), &match)) {
        return hs_import_bad(import, HS_IMPORT_NO_LINE, text, length);
    }
    if (seen(form) >= INSTANCES_MAX) {
        return hs_import_bad(import, HS_IMPORT_NO_LINE, text, length);
    }
    const int64_t clock = clock_read(text, length);
    if (form->in_dump && is_later(form, clock)) {
        const hs_status_t status = finish_dump(form, import);
        if (status != HS_OK) {
            return status;
        }
    }
    if (!form->in_dump) {
        time_keep(form, text, length);
    }
    form->in_dump = true;
    form->clock = clock;
    form->others = 0;
    return take(form, import, &match);
}

/* The log may end within a dump. */
static hs_status_t last(void *state, hs_import_t *import)
{
    pjsip_form_t *form = state;
    return form->in_dump ? finish_dump(form, import) : HS_OK;
}

const hs_import_lines_t hs_import_pjsip_lines = {
    .begin = begin, .end = end, .line = line, .last = last};
