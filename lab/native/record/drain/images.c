/* The images of a recording: which there are, which have something to give. */
#include <stdlib.h>

#include "recorder_state.h"

#define READY_BYTES ((size_t)256 << 10)

bool hs_recorder_add(hs_recorder_t *recorder, hs_rec_image_t *image)
{
    if (recorder->image_count == recorder->image_capacity) {
        const size_t capacity = recorder->image_capacity * 2 + 16;
        hs_rec_entry_t *grown = realloc(recorder->images, capacity * sizeof *grown);
        if (grown == NULL) {
            return false;
        }
        recorder->images = grown;
        recorder->image_capacity = capacity;
    }
    recorder->images[recorder->image_count++] = (hs_rec_entry_t){image, HS_RECORDER_RUNS};
    recorder->running++;
    return true;
}

bool hs_recorder_has_news(const hs_recorder_t *recorder)
{
    if (atomic_load(&recorder->control->object32) == HS_REC_OBJECT_WANTED) {
        return true;
    }
    size_t bytes = 0;
    for (size_t i = recorder->first_held; i < recorder->image_count; i++) {
        const hs_rec_entry_t *entry = &recorder->images[i];
        if (entry->image != NULL) {
            bytes += hs_queue_waiting(&entry->image->ready);
            if (entry->phase == HS_RECORDER_OVER) {
                return true;
            }
        }
    }
    return bytes >= READY_BYTES;
}

size_t hs_recorder_images(const hs_recorder_t *recorder)
{
    return recorder->image_count;
}

size_t hs_recorder_running(const hs_recorder_t *recorder)
{
    return recorder->running;
}

hs_rec_image_t *hs_recorder_image(hs_recorder_t *recorder, size_t index)
{
    return index < recorder->image_count ? recorder->images[index].image : NULL;
}

hs_recorder_phase_t hs_recorder_phase(const hs_recorder_t *recorder, size_t index)
{
    return recorder->images[index].phase;
}

void hs_recorder_finish(hs_recorder_t *recorder, size_t index)
{
    hs_rec_image_finish(recorder->images[index].image);
    recorder->images[index].phase = HS_RECORDER_FINISHED;
}

void hs_recorder_release(hs_recorder_t *recorder, size_t index)
{
    hs_rec_image_delete(recorder->images[index].image);
    recorder->images[index].image = NULL;
    while (recorder->first_held < recorder->image_count &&
           recorder->images[recorder->first_held].image == NULL) {
        recorder->first_held++;
    }
}

size_t hs_recorder_next_ready(const hs_recorder_t *recorder, size_t index)
{
    index = index < recorder->first_held ? recorder->first_held : index;
    for (; index < recorder->image_count; index++) {
        const hs_rec_entry_t *entry = &recorder->images[index];
        if (entry->image != NULL &&
            (hs_queue_waiting(&entry->image->ready) != 0 || entry->phase == HS_RECORDER_OVER)) {
            return index;
        }
    }
    return SIZE_MAX;
}
