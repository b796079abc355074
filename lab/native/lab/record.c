/* The recorder of Linux programs, for the lab. */
#if defined(__linux__)

#include <string.h>

#include "lab/record.h"
#include "record/drain/inject.h"
#include "record/drain/interrupts.h"
#include "record/drain/recorder.h"

/* The handle is the recorder itself. */
static hs_recorder_t *of(const hs_lab_record_t *record)
{
    return (hs_recorder_t *)(uintptr_t)record;
}

hs_lab_record_t *hs_lab_record_new(const char *preload64, const char *preload32,
                                   const char *version, const char *program, uint32_t modes,
                                   uint32_t addresses, uint32_t frames)
{
    const hs_recorder_config_t config = {preload64, preload32, version, program,
                                         modes,     addresses, frames};
    return (hs_lab_record_t *)(void *)hs_recorder_new(&config);
}

void hs_lab_record_delete(hs_lab_record_t *record)
{
    hs_recorder_delete(of(record));
}

const char *hs_lab_record_variable(hs_lab_record_t *record)
{
    return hs_recorder_control(of(record))->variable;
}

uint64_t hs_lab_record_pump(hs_lab_record_t *record, uint32_t milliseconds)
{
    return hs_recorder_pump(of(record), milliseconds);
}

void hs_lab_record_close(hs_lab_record_t *record)
{
    hs_recorder_close(of(record));
}

size_t hs_lab_record_images(const hs_lab_record_t *record)
{
    return hs_recorder_images(of(record));
}

size_t hs_lab_record_running(const hs_lab_record_t *record)
{
    return hs_recorder_running(of(record));
}

uint32_t hs_lab_record_missed(hs_lab_record_t *record)
{
    return hs_recorder_is_overwritten(of(record))
               ? 0
               : atomic_load(&hs_recorder_control(of(record))->missed);
}

int hs_lab_record_overwritten(const hs_lab_record_t *record)
{
    return hs_recorder_is_overwritten(of(record));
}

int hs_lab_record_object_wanted(hs_lab_record_t *record)
{
    return atomic_load(&hs_recorder_control(of(record))->object32) == HS_REC_OBJECT_WANTED;
}

void hs_lab_record_object(hs_lab_record_t *record, int there)
{
    hs_recorder_object(of(record), there != 0);
}

size_t hs_lab_record_ready(const hs_lab_record_t *record, size_t index)
{
    return hs_recorder_next_ready(of(record), index);
}

void hs_lab_record_image(hs_lab_record_t *record, size_t index, hs_lab_record_image_t *out)
{
    const hs_rec_image_t *image = hs_recorder_image(of(record), index);
    *out = (hs_lab_record_image_t){.phase = 3};
    if (image == NULL) {
        return;
    }
    const hs_rec_counts_t *counts = &image->counts;
    out->events = counts->events;
    out->live = counts->live;
    out->live_peak = counts->live_peak;
    out->live_blocks = counts->live_blocks;
    out->lost = counts->lost;
    out->unknown = counts->unknown;
    out->implied = counts->implied;
    out->inherited = counts->inherited;
    out->left_out = counts->left_out;
    out->written = counts->written;
    out->stacks = image->stacks.count;
    out->modules = image->module_count;
    out->phase = (uint32_t)hs_recorder_phase(of(record), index);
    out->pid = image->pid;
    out->word_size = image->word_size;
    out->forked = image->forked;
    out->whole_events = counts->whole_events;
    out->whole_peak = counts->whole_peak;
    out->time = image->time;
    out->begun_late = image->begun_late;
    out->started = image->started;
    out->paused = image->paused;
    out->cut = image->cut;
    out->overwritten = image->overwritten;
    out->status = (uint32_t)image->status;
}

const char *hs_lab_record_program(hs_lab_record_t *record, size_t index)
{
    const hs_rec_image_t *image = hs_recorder_image(of(record), index);
    return image == NULL ? "" : image->program;
}

size_t hs_lab_record_take(hs_lab_record_t *record, size_t index, uint8_t *out, size_t capacity)
{
    hs_rec_image_t *image = hs_recorder_image(of(record), index);
    return image == NULL ? 0 : hs_rec_image_bytes(image, out, capacity);
}

size_t hs_lab_record_stack(hs_lab_record_t *record, size_t index, size_t stack, uint64_t *out,
                           size_t capacity)
{
    const hs_rec_image_t *image = hs_recorder_image(of(record), index);
    if (image == NULL || stack == 0 || stack >= image->stacks.capacity) {
        return 0;
    }
    const uint32_t *span = image->stacks.spans + HS_REC_SPAN * stack;
    const size_t given = span[1] < capacity ? span[1] : capacity;
    if (given != 0) {
        memcpy(out, image->stacks.frames + span[0], given * sizeof *out);
    }
    return given;
}

size_t hs_lab_record_stack_modules(hs_lab_record_t *record, size_t index, size_t stack)
{
    const hs_rec_image_t *image = hs_recorder_image(of(record), index);
    const bool known = image != NULL && stack != 0 && stack < image->stacks.capacity;
    return known ? image->stacks.spans[HS_REC_SPAN * stack + 2] : 0;
}

const char *hs_lab_record_module(hs_lab_record_t *record, size_t index, size_t module,
                                 hs_lab_record_module_t *out)
{
    const hs_rec_image_t *image = hs_recorder_image(of(record), index);
    *out = (hs_lab_record_module_t){0};
    if (image == NULL || module >= image->module_count) {
        return "";
    }
    const hs_rec_module_t *match = &image->modules[module];
    *out = (hs_lab_record_module_t){match->start, match->size, match->file_offset};
    return match->path;
}

void hs_lab_record_site(hs_lab_record_t *record, size_t index, uint32_t site, const char *name,
                        size_t length)
{
    hs_rec_image_t *image = hs_recorder_image(of(record), index);
    if (image != NULL) {
        hs_rec_image_site_name(image, site, name, length);
    }
}

void hs_lab_record_finish(hs_lab_record_t *record, size_t index)
{
    if (hs_recorder_image(of(record), index) != NULL) {
        hs_recorder_finish(of(record), index);
    }
}

void hs_lab_record_fact(hs_lab_record_t *record, size_t index, const char *key, const char *value)
{
    hs_rec_image_t *image = hs_recorder_image(of(record), index);
    if (image != NULL) {
        hs_rec_image_fact(image, key, value);
    }
}

void hs_lab_record_release(hs_lab_record_t *record, size_t index)
{
    if (index < hs_recorder_images(of(record))) {
        hs_recorder_release(of(record), index);
    }
}

void hs_lab_record_watch_interrupts(void)
{
    hs_rec_interrupts_watch();
}

uint32_t hs_lab_record_interrupts(uint32_t of_process)
{
    return hs_rec_interrupts_take(of_process != 0);
}

uint32_t hs_lab_record_inject(uint32_t pid, uint64_t function, const char *text, uint64_t number,
                              const uint64_t *avoided, size_t avoided_count,
                              const uint64_t *library, uint64_t signal_return, double seconds,
                              uint64_t *result, int32_t *error)
{
    const hs_rec_call_t call = {
        .pid = pid,
        .function = function,
        .text = text,
        .number = number,
        .avoided = (const hs_rec_range_t *)(const void *)avoided, /* pairs of numbers */
        .avoided_count = avoided_count,
        .library = {library[0], library[1]},
        .signal_return = signal_return,
    };
    int match = 0;
    const hs_rec_injected_t status = hs_rec_inject(&call, seconds, result, &match);
    *error = match;
    return (uint32_t)status;
}

#else
typedef int hs_lab_record_needs_linux_t; /* a file is never empty */
#endif
