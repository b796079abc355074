#include "heaptrack_names.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define DEPTH_MAX 256u /* frames looked at; a name has room for fewer */

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
    void *const made = wanted > SIZE_MAX / size ? NULL : realloc(array, wanted * size);
    if (made != NULL) {
        *room = wanted;
    }
    return made;
}

static hs_status_t text_add(char ***list, size_t *count, size_t *room, const char *text,
                            size_t length)
{
    char **const made = more(*list, *count, room, sizeof **list);
    if (made == NULL) {
        return HS_ERR_MEMORY;
    }
    *list = made;
    char *const copy = malloc(length + 1);
    if (copy == NULL) {
        return HS_ERR_MEMORY;
    }
    memcpy(copy, text, length);
    copy[length] = 0;
    made[(*count)++] = copy;
    return HS_OK;
}

hs_status_t hs_ht_string(hs_ht_names_t *names, const uint8_t *text, size_t length)
{
    return text_add(&names->strings, &names->string_count, &names->string_room, (const char *)text,
                    length < HS_NAME_MAX ? length : HS_NAME_MAX);
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
static void part_frames(char *text)
{
    for (; *text != 0; text++) {
        if (*text == ';') {
            *text = ':';
        }
    }
}

/* One frame of an instruction pointer. */
static size_t frame_write(const hs_ht_names_t *names, const uint64_t frame[3], char *out,
                          size_t room)
{
    const char *const function = string_of(names, frame[0]);
    const int wrote = frame[1] == 0 ? snprintf(out, room, "%s", function)
                                    : snprintf(out, room, "%.160s (%s:%" PRIu64 ")", function,
                                               file_of(string_of(names, frame[1])), frame[2]);
    part_frames(out);
    return wrote < 0 ? 0 : (size_t)wrote < room ? (size_t)wrote : room - 1;
}

static size_t offset_write(const char *module, uint64_t offset, char *out, size_t room)
{
    const int wrote = snprintf(out, room, "%.200s+0x%" PRIx64, file_of(module), offset);
    part_frames(out);
    return wrote < 0 ? 0 : (size_t)wrote < room ? (size_t)wrote : room - 1;
}

hs_status_t hs_ht_place(hs_ht_names_t *names, uint64_t ip, uint64_t module,
                        const uint64_t (*frames)[3], size_t count)
{
    char text[4 * HS_NAME_MAX];
    size_t length = 0;
    for (size_t i = count; i-- > 0 && sizeof text - length > HS_NAME_MAX;) {
        if (length > 0) {
            text[length++] = ';';
        }
        length += frame_write(names, frames[i], text + length, HS_NAME_MAX);
    }
    if (count == 0) {
        length = offset_write(string_of(names, module), ip, text, sizeof text);
    }
    names->highest = ip > names->highest ? ip : names->highest;
    return text_add(&names->places, &names->place_count, &names->place_room, text, length);
}

hs_status_t hs_ht_stack(hs_ht_names_t *names, uint64_t ip, uint64_t parent)
{
    hs_ht_stack_t *const made =
        more(names->stacks, names->stack_count, &names->stack_room, sizeof *made);
    if (made == NULL) {
        return HS_ERR_MEMORY;
    }
    names->stacks = made;
    /* A caller's stack came before: no chain can be a ring. */
    const bool known = parent <= names->stack_count;
    made[names->stack_count++] = (hs_ht_stack_t){.ip = ip, .parent = known ? (uint32_t)parent : 0};
    if (names->raw && ip > names->highest) {
        names->highest = ip;
    }
    return HS_OK;
}

hs_status_t hs_ht_module(hs_ht_names_t *names, uint32_t name, uint64_t base, uint64_t start,
                         uint64_t size)
{
    hs_ht_module_t *const made =
        more(names->modules, names->module_count, &names->module_room, sizeof *made);
    if (made == NULL) {
        return HS_ERR_MEMORY;
    }
    names->modules = made;
    made[names->module_count++] =
        (hs_ht_module_t){.name = name, .start = start, .end = start + size, .base = base};
    return HS_OK;
}

void hs_ht_modules_drop(hs_ht_names_t *names)
{
    names->module_count = 0;
}

static size_t address_write(const hs_ht_names_t *names, uint64_t ip, char *out, size_t room)
{
    for (size_t i = 0; i < names->module_count; i++) {
        const hs_ht_module_t *one = &names->modules[i];
        if (ip >= one->start && ip < one->end) {
            return offset_write(string_of(names, one->name), ip - one->base, out, room);
        }
    }
    return offset_write("?", ip, out, room);
}

size_t hs_ht_site_name(const hs_ht_names_t *names, uint64_t stack, char out[HS_NAME_MAX])
{
    static const char cut[] = "...";
    char text[HS_NAME_MAX]; /* filled from its end: the innermost frame is the last */
    size_t start = sizeof text;
    for (unsigned depth = 0; stack != 0 && stack <= names->stack_count; depth++) {
        const hs_ht_stack_t *const one = &names->stacks[stack - 1];
        char own[HS_NAME_MAX + 1];
        const char *frame = own;
        size_t length;
        if (names->raw) {
            length = address_write(names, one->ip, own, sizeof own);
        } else {
            frame = one->ip == 0 || one->ip > names->place_count ? "?" : names->places[one->ip - 1];
            length = strlen(frame);
        }
        const size_t parting = start == sizeof text ? 0 : 1;
        if (length + parting + sizeof cut > start || depth == DEPTH_MAX) {
            if (start == sizeof text) { /* one place alone is too long: its innermost part */
                const size_t kept = length < sizeof text ? length : sizeof text;
                start -= kept;
                memcpy(text + start, frame + length - kept, kept);
            } else {
                start -= sizeof cut;
                memcpy(text + start, "...;", sizeof cut);
            }
            break;
        }
        if (parting != 0) {
            text[--start] = ';';
        }
        start -= length;
        memcpy(text + start, frame, length);
        stack = one->parent;
    }
    memcpy(out, text + start, sizeof text - start);
    return sizeof text - start;
}
