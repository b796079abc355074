#include "environment.h"

#include "session.h"
#include "system.h"

#define PRELOAD "LD_PRELOAD"
#define BUILD_SECONDS 60u
#define SCRIPTS_MAX 4 /* interpreters that are scripts themselves, as the kernel has it */

/* The value, where the entry is the variable's. */
static const char *value_of(const char *entry, const char *name)
{
    const size_t length = strlen(name);
    return strncmp(entry, name, length) == 0 && entry[length] == '=' ? entry + length + 1 : NULL;
}

bool hs_rec_environment_find(char **environment, const char *name, char *out, size_t capacity)
{
    for (; *environment != NULL; environment++) {
        const char *value = value_of(*environment, name);
        if (value != NULL) {
            const size_t length = strlen(value);
            if (length == 0 || length >= capacity) {
                return false;
            }
            memcpy(out, value, length + 1);
            return true;
        }
    }
    return false;
}

/* ---- the word size of a program ---- */

static unsigned of_script(const char *line, size_t length, int depth);

static unsigned word_size_at(int descriptor, int depth)
{
    char head[256];
    const long count = hs_rec_read(descriptor, head, sizeof head - 1, 0);
    if (count >= 5 && head[0] == 0x7F && head[1] == 'E' && head[2] == 'L' && head[3] == 'F') {
        return head[4] == 1 ? 4 : 8;
    }
    if (count > 2 && head[0] == '#' && head[1] == '!') {
        head[count] = 0;
        return of_script(head + 2, (size_t)count - 2, depth);
    }
    return sizeof(void *);
}

static unsigned word_size_of_path(const char *path, int depth)
{
    const int descriptor = depth > SCRIPTS_MAX ? -1 : hs_rec_open(path, false);
    if (descriptor < 0) {
        return sizeof(void *);
    }
    const unsigned match = word_size_at(descriptor, depth);
    hs_rec_close(descriptor);
    return match;
}

static unsigned of_script(const char *line, size_t length, int depth)
{
    char path[256];
    size_t from = 0, count = 0;
    while (from < length && (line[from] == ' ' || line[from] == '\t')) {
        from++;
    }
    while (from < length && line[from] != ' ' && line[from] != '\t' && line[from] != '\n' &&
           line[from] != 0) {
        path[count++] = line[from++];
    }
    path[count] = 0;
    return word_size_of_path(path, depth + 1);
}

unsigned hs_rec_image_word_size(const char *path)
{
    return word_size_of_path(path, 0);
}

unsigned hs_rec_image_word_size_of(int descriptor)
{
    return word_size_at(descriptor, 0);
}

/* ---- the object for a word size ---- */

/* The 32-bit object is built by the recorder when it is first wanted. */
static bool has_object32(hs_rec_control_t *control)
{
    for (unsigned waited = 0; waited < BUILD_SECONDS * 10u; waited++) {
        const uint32_t state = atomic_load(&control->object32);
        if (state == HS_REC_OBJECT_READY || state == HS_REC_OBJECT_NONE) {
            return state == HS_REC_OBJECT_READY;
        }
        uint32_t unknown = HS_REC_OBJECT_UNKNOWN;
        (void)atomic_compare_exchange_strong(&control->object32, &unknown, HS_REC_OBJECT_WANTED);
        atomic_fetch_add(&control->bell, 1u);
        hs_rec_wake(&control->bell);
        hs_rec_wait(&control->object32, HS_REC_OBJECT_WANTED, 100);
        if (hs_rec_recorder_gone()) {
            return false;
        }
    }
    return false;
}

static const char *object_for(hs_rec_control_t *control, unsigned word_size)
{
    if (word_size == 4) {
        return has_object32(control) ? control->preload32 : "";
    }
    return control->preload64;
}

/* ---- a patched copy ---- */

size_t hs_rec_environment_count(char *const *environment)
{
    size_t count = 0;
    while (environment != NULL && environment[count] != NULL) {
        count++;
    }
    return count + 3; /* two of ours, and the end */
}

size_t hs_rec_environment_text(char *const *environment)
{
    size_t most = 0;
    for (; environment != NULL && *environment != NULL; environment++) {
        const char *value = value_of(*environment, PRELOAD);
        most += value == NULL ? 0 : strlen(value) + 1;
    }
    return most + 2 * HS_REC_PATH_MAX + sizeof PRELOAD "=" HS_REC_VARIABLE "=";
}

static char *text_put(char *at, const char *text, size_t length)
{
    memcpy(at, text, length);
    at[length] = 0;
    return at + length;
}

static bool is(const char *item, size_t length, const char *path)
{
    return strlen(path) == length && strncmp(item, path, length) == 0;
}

/* The other objects of a list that were to be preloaded too. */
static char *others_put(hs_rec_control_t *control, char *at, bool first, const char *list)
{
    while (*list != 0) {
        size_t length = 0;
        while (list[length] != 0 && list[length] != ':' && list[length] != ' ') {
            length++;
        }
        if (length != 0 && !is(list, length, control->preload64) &&
            !is(list, length, control->preload32)) {
            at = first ? at : text_put(at, ":", 1);
            at = text_put(at, list, length);
            first = false;
        }
        list += length + (list[length] != 0);
    }
    return at;
}

void hs_rec_environment_patch(hs_rec_control_t *control, char *const *environment,
                              unsigned word_size, char **out, char *text)
{
    const char *object = object_for(control, word_size);
    const char *others = "";
    size_t count = 0;
    for (; environment != NULL && *environment != NULL; environment++) {
        const char *list = value_of(*environment, PRELOAD);
        if (list != NULL) {
            others = list;
        } else if (value_of(*environment, HS_REC_VARIABLE) == NULL) {
            out[count++] = *environment;
        }
    }
    out[count++] = text;
    char *value = text_put(text, PRELOAD "=", sizeof PRELOAD);
    char *at = text_put(value, object, strlen(object));
    at = others_put(control, at, object[0] == 0, others);
    count -= at == value; /* an empty list gets no entry */
    out[count++] = ++at;
    at = text_put(at, HS_REC_VARIABLE "=", sizeof HS_REC_VARIABLE);
    (void)text_put(at, control->variable, strlen(control->variable));
    out[count] = NULL;
}

void hs_rec_environment_begin(hs_rec_control_t *control)
{
    static char entry[2 * HS_REC_PATH_MAX];
    if (entry[0] != 0 || sizeof(void *) != 4 || hs_rec_image_word_size("/bin/sh") == 4) {
        return;
    }
    for (char **at = environ; *at != NULL; at++) {
        if (value_of(*at, PRELOAD) != NULL) {
            char *end = text_put(entry, PRELOAD "=", sizeof PRELOAD);
            (void)text_put(end, control->preload64, strlen(control->preload64));
            *at = entry;
            return;
        }
    }
}
