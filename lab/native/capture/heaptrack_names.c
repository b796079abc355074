#include "heaptrack_names.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define DEPTH_MAX 256u /* frames of a name */
#define CUT "...;"     /* stands for those nearest the root */

void hs_ht_names_clear(hs_ht_names_t *names)
{
    for (size_t i = 0; i < names->string_count; i++) {
        free(names->strings[i]);
    }
    for (size_t i = 0; i < names->place_count; i++) {
        free(names->places[i]);
    }
    free(names->strings);
    free(names->places);
    free(names->stacks);
    free(names->modules);
}

/* Room for one more; NULL: no memory, and the old array stays. */
static void *more(void *array, size_t count, size_t *room, size_t size)
{
    if (count < *room) {
        return array;
    }
    const size_t wanted = *room == 0 ? 64 : *room * 2;
    void *const built = wanted > SIZE_MAX / size ? NULL : realloc(array, wanted * size);
    if (built != NULL) {
        *room = wanted;
    }
    return built;
}

static hs_status_t text_add(char ***list, size_t *count, size_t *room, const char *text,
                            size_t length)
{
    char **const built = more(*list, *count, room, sizeof **list);
    if (built == NULL) {
        return HS_ERR_MEMORY;
    }
    *list = built;
    char *const copy = malloc(length + 1);
    if (copy == NULL) {
        return HS_ERR_MEMORY;
    }
    memcpy(copy, text, length);
    copy[length] = 0;
    built[(*count)++] = copy;
    return HS_OK;
}

hs_status_t hs_ht_string(hs_ht_names_t *names, const uint8_t *text, size_t length)
{
    return text_add(&names->strings, &names->string_count, &names->string_room, (const char *)text,
                    length < HS_HT_STRING_MAX ? length : HS_HT_STRING_MAX);
}

static const char *string_of(const hs_ht_names_t *names, uint64_t number)
{
    return number == 0 || number > names->string_count ? "?" : names->strings[number - 1];
}

static const char *file_of(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash == NULL ? path : slash + 1;
}

/* ';' stands between frames. */
static size_t part_frames(char *text, int wrote)
{
    for (char *at = text; *at != 0; at++) {
        *at = *at == ';' ? ':' : *at;
    }
    return wrote < 0 ? 0 : (size_t)wrote;
}

/* Bytes that a frame takes at most, with its ';' or the end of the text. */
static size_t frame_room(const hs_ht_names_t *names, const uint64_t frame[3])
{
    return strlen(string_of(names, frame[0])) + strlen(string_of(names, frame[1])) +
           sizeof " (:18446744073709551615);";
}

/* One frame of an instruction pointer. */
static size_t frame_write(const hs_ht_names_t *names, const uint64_t frame[3], char *out,
                          size_t room)
{
    const char *const function = string_of(names, frame[0]);
    const int wrote = frame[1] == 0 ? snprintf(out, room, "%s", function)
                                    : snprintf(out, room, "%s (%s:%" PRIu64 ")", function,
                                               file_of(string_of(names, frame[1])), frame[2]);
    return part_frames(out, wrote);
}

static size_t offset_room(const char *module)
{
    return strlen(file_of(module)) + sizeof "+0xFFFFFFFFFFFFFFFF;";
}

static size_t offset_write(const char *module, uint64_t offset, char *out, size_t room)
{
    return part_frames(out, snprintf(out, room, "%s+0x%" PRIx64, file_of(module), offset));
}

hs_status_t hs_ht_place(hs_ht_names_t *names, uint64_t ip, uint64_t module,
                        const uint64_t (*frames)[3], size_t count)
{
    size_t room = offset_room(string_of(names, module));
    for (size_t i = 0; i < count; i++) {
        room += frame_room(names, frames[i]);
    }
    char *const text = malloc(room);
    if (text == NULL) {
        return HS_ERR_MEMORY;
    }
    size_t length = 0;
    for (size_t i = count; i-- > 0;) {
        if (length > 0) {
            text[length++] = ';';
        }
        length += frame_write(names, frames[i], text + length, room - length);
    }
    if (count == 0) {
        length = offset_write(string_of(names, module), ip, text, room);
    }
    names->highest = ip > names->highest ? ip : names->highest;
    const hs_status_t status =
        text_add(&names->places, &names->place_count, &names->place_room, text, length);
    free(text);
    return status;
}

hs_status_t hs_ht_stack(hs_ht_names_t *names, uint64_t ip, uint64_t parent)
{
    hs_ht_stack_t *const built =
        more(names->stacks, names->stack_count, &names->stack_room, sizeof *built);
    if (built == NULL) {
        return HS_ERR_MEMORY;
    }
    names->stacks = built;
    /* A caller's stack came before: no chain can be a ring. */
    const bool known = parent <= names->stack_count;
    built[names->stack_count++] = (hs_ht_stack_t){.ip = ip, .parent = known ? (uint32_t)parent : 0};
    if (names->raw && ip > names->highest) {
        names->highest = ip;
    }
    return HS_OK;
}

hs_status_t hs_ht_module(hs_ht_names_t *names, uint32_t name, uint64_t base, uint64_t start,
                         uint64_t size)
{
    hs_ht_module_t *const built =
        more(names->modules, names->module_count, &names->module_room, sizeof *built);
    if (built == NULL) {
        return HS_ERR_MEMORY;
    }
    names->modules = built;
    built[names->module_count++] =
        (hs_ht_module_t){.name = name, .start = start, .end = start + size, .base = base};
    return HS_OK;
}

void hs_ht_modules_drop(hs_ht_names_t *names)
{
    names->module_count = 0;
}

/* The module that holds an address; NULL: none. */
static const hs_ht_module_t *module_at(const hs_ht_names_t *names, uint64_t ip)
{
    for (size_t i = 0; i < names->module_count; i++) {
        const hs_ht_module_t *one = &names->modules[i];
        if (ip >= one->start && ip < one->end) {
            return one;
        }
    }
    return NULL;
}

/* Puts a text in front of what begins at `start`, if it fits behind a cut. */
static bool front_put(char *out, size_t *start, const char *text, size_t length)
{
    if (length + 1 + sizeof CUT > *start) {
        return false;
    }
    if (*start < HS_SITE_NAME_MAX) {
        out[--*start] = ';';
    }
    *start -= length;
    memcpy(out + *start, text, length);
    return true;
}

static bool frame_put(const hs_ht_names_t *names, uint64_t ip, char *out, size_t *start)
{
    if (!names->raw) {
        const char *const place = ip == 0 || ip > names->place_count ? "?" : names->places[ip - 1];
        return front_put(out, start, place, strlen(place));
    }
    const hs_ht_module_t *const module = module_at(names, ip);
    const char *const file = module == NULL ? "?" : string_of(names, module->name);
    char own[HS_HT_STRING_MAX + 32];
    const size_t length =
        offset_write(file, module == NULL ? ip : ip - module->base, own, sizeof own);
    return front_put(out, start, own, length);
}

size_t hs_ht_site_name(const hs_ht_names_t *names, uint64_t stack, char out[HS_SITE_NAME_MAX])
{
    size_t start = HS_SITE_NAME_MAX; /* filled from its end: the innermost frame is the last */
    unsigned depth = 0;
    while (stack != 0 && stack <= names->stack_count && depth++ < DEPTH_MAX) {
        const hs_ht_stack_t *const one = &names->stacks[stack - 1];
        if (!frame_put(names, one->ip, out, &start)) {
            break;
        }
        stack = one->parent;
    }
    if (stack != 0 && stack <= names->stack_count) {
        start -= sizeof CUT - 1;
        memcpy(out + start, CUT, sizeof CUT - 1);
    }
    memmove(out, out + start, HS_SITE_NAME_MAX - start);
    return HS_SITE_NAME_MAX - start;
}
