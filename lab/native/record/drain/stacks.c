#include "stacks.h"

#include <stdlib.h>
#include <string.h>

#include "workers.h"

static size_t grown(size_t capacity)
{
    return capacity == 0 ? 1024 : capacity * 2;
}

uint32_t hs_rec_site_of(hs_rec_image_t *image, uint64_t number)
{
    hs_rec_stacks_t *stacks = &image->stacks;
    if (number == 0 || number >= HS_REC_STACK_NUMBERS) {
        return 0;
    }
    if (stacks->sites == NULL) {
        stacks->sites = calloc(HS_REC_STACK_NUMBERS, sizeof *stacks->sites);
        if (stacks->sites == NULL) {
            return 0;
        }
    }
    uint32_t *site = &stacks->sites[number];
    if (*site == 0) {
        *site = (uint32_t)++stacks->count;
    }
    return *site;
}

static bool spans_reach(hs_rec_stacks_t *stacks, size_t site)
{
    while (site >= stacks->capacity) {
        const size_t capacity = grown(stacks->capacity);
        uint32_t *spans = realloc(stacks->spans, HS_REC_SPAN * capacity * sizeof *spans);
        if (spans == NULL) {
            return false;
        }
        memset(spans + HS_REC_SPAN * stacks->capacity, 0,
               HS_REC_SPAN * (capacity - stacks->capacity) * sizeof *spans);
        stacks->spans = spans;
        stacks->capacity = capacity;
    }
    return true;
}

static bool frames_reach(hs_rec_stacks_t *stacks, size_t count)
{
    while (count > stacks->frame_capacity) {
        const size_t capacity = grown(stacks->frame_capacity);
        uint64_t *frames = realloc(stacks->frames, capacity * sizeof *frames);
        if (frames == NULL) {
            return false;
        }
        stacks->frames = frames;
        stacks->frame_capacity = capacity;
    }
    return true;
}

/* ---- stacks that are alike ---- */

static uint64_t mixed(uint64_t sum, uint64_t word)
{
    sum = (sum ^ word) * UINT64_C(0x9E3779B97F4A7C15);
    return sum ^ sum >> 29;
}

/* The file that a return address lies in, as it was reported last; NULL: code without a file. */
static const hs_rec_module_t *module_of(const hs_rec_image_t *image, uint64_t address)
{
    for (size_t i = image->module_count; i-- > 0;) {
        const hs_rec_module_t *module = &image->modules[i];
        if (address - 1u - module->start < module->size) {
            return module;
        }
    }
    return NULL;
}

/* The stack by its places in files: a file that is loaded again lies elsewhere, maybe, and the program
 * gives its stacks new numbers. Two stacks have one key with a chance of 2^-64. */
static uint64_t key_of(const hs_rec_image_t *image, const uint64_t *frames, size_t count)
{
    uint64_t key = count;
    for (size_t i = 0; i < count; i++) {
        const hs_rec_module_t *module =
            frames[i] == HS_REC_FRAME_CUT ? NULL : module_of(image, frames[i]);
        key = mixed(key, module == NULL ? frames[i] : frames[i] - module->start);
        key = mixed(key, module == NULL ? 0 : module->path_key);
    }
    return key | 1u;
}

static hs_rec_stack_key_t *key_slot(hs_rec_stack_key_t *keys, size_t mask, uint64_t key)
{
    size_t at = (size_t)(key >> 20) & mask;
    while (keys[at].key != 0 && keys[at].key != key) { /* bound: half of the slots is free */
        at = (at + 1) & mask;
    }
    return &keys[at];
}

/* The slot of a key, free or not; NULL: no host memory. */
static hs_rec_stack_key_t *slot_of(hs_rec_stacks_t *stacks, uint64_t key)
{
    if (stacks->key_count >= stacks->key_slots / 2) {
        const size_t slots = grown(stacks->key_slots);
        hs_rec_stack_key_t *keys = calloc(slots, sizeof *keys);
        if (keys == NULL) {
            return NULL;
        }
        for (size_t i = 0; i < stacks->key_slots; i++) {
            if (stacks->keys[i].key != 0) {
                *key_slot(keys, slots - 1, stacks->keys[i].key) = stacks->keys[i];
            }
        }
        free(stacks->keys);
        stacks->keys = keys;
        stacks->key_slots = slots;
    }
    return key_slot(stacks->keys, stacks->key_slots - 1, key);
}

/* The site of a stack, which is that of an equal one, unless its number was used before it was reported. */
static uint32_t site_for(hs_rec_image_t *image, uint64_t number, const uint64_t *frames,
                         size_t count)
{
    hs_rec_stacks_t *stacks = &image->stacks;
    if (number == 0 || number >= HS_REC_STACK_NUMBERS || count == 0) {
        return 0;
    }
    hs_rec_stack_key_t *slot = slot_of(stacks, key_of(image, frames, count));
    const bool used = stacks->sites != NULL && stacks->sites[number] != 0;
    if (slot != NULL && slot->key != 0 && !used && stacks->sites != NULL) {
        stacks->sites[number] = slot->site;
        return 0; /* its frames are known */
    }
    const uint32_t site = hs_rec_site_of(image, number);
    if (slot != NULL && slot->key == 0) {
        *slot = (hs_rec_stack_key_t){key_of(image, frames, count), site};
        stacks->key_count++;
    }
    return site;
}

/* The frames of a stack; its number may have been used before. */
void hs_rec_stacks_take(hs_rec_image_t *image, const hs_rec_worker_t *worker,
                        const hs_rec_event_t *record)
{
    hs_rec_stacks_t *stacks = &image->stacks;
    const size_t held = worker->text_length / sizeof(uint64_t); /* padded */
    const size_t count = record->b < held ? (size_t)record->b : held;
    uint64_t frames[HS_REC_TEXT_MAX / sizeof(uint64_t)];
    if (count != 0) {
        memcpy(frames, worker->text, count * sizeof *frames);
    }
    const uint32_t site = site_for(image, record->a, frames, count);
    if (site == 0 || !spans_reach(stacks, site) ||
        !frames_reach(stacks, stacks->frame_count + count)) {
        return;
    }
    memcpy(stacks->frames + stacks->frame_count, frames, count * sizeof *frames);
    uint32_t *span = stacks->spans + HS_REC_SPAN * site;
    span[0] = (uint32_t)stacks->frame_count;
    span[1] = (uint32_t)count;
    span[2] = (uint32_t)image->module_count;
    stacks->frame_count += count;
}

/* ---- files ---- */

/* Whether the last that was reported of this memory is the same file: it was unloaded, or reported twice. */
static bool is_known(const hs_rec_image_t *image, const hs_rec_module_t *reported)
{
    for (size_t i = image->module_count; i-- > 0;) {
        const hs_rec_module_t *module = &image->modules[i];
        if (module->start - reported->start < reported->size ||
            reported->start - module->start < module->size) {
            return module->start == reported->start && module->size == reported->size &&
                   module->file_offset == reported->file_offset &&
                   strcmp(module->path, reported->path) == 0;
        }
    }
    return false;
}

static uint64_t path_key(const char *path)
{
    uint64_t key = 1;
    for (; *path != 0; path++) {
        key = mixed(key, (unsigned char)*path);
    }
    return key;
}

void hs_rec_modules_take(hs_rec_image_t *image, const hs_rec_worker_t *worker,
                         const hs_rec_event_t *record)
{
    hs_rec_module_t reported = {.start = record->a, .size = record->b, .file_offset = record->c};
    const size_t most = sizeof reported.path - 1;
    const size_t length = worker->text_length < most ? worker->text_length : most;
    if (length != 0) {
        memcpy(reported.path, worker->text, length);
    }
    reported.path_key = path_key(reported.path);
    if (is_known(image, &reported)) {
        return;
    }
    if (image->module_count == image->module_capacity) {
        const size_t capacity = image->module_capacity == 0 ? 16 : image->module_capacity * 2;
        hs_rec_module_t *modules = realloc(image->modules, capacity * sizeof *modules);
        if (modules == NULL) {
            return;
        }
        image->modules = modules;
        image->module_capacity = capacity;
    }
    image->modules[image->module_count++] = reported;
}
