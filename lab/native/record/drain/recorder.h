/*
 * The recorder's side: the shared memory, the recorded processes, and the loop that takes what they
 * write. One thread uses it. Memory: for each process its live blocks and 65 KB, and the chunks that
 * were not taken out yet, which one pass bounds.
 */
#ifndef HEAPSCOPE_RECORD_RECORDER_H
#define HEAPSCOPE_RECORD_RECORDER_H

#include "image.h"

typedef struct hs_recorder hs_recorder_t;

typedef struct hs_recorder_config {
    const char *preload64, *preload32; /* objects; "" : none */
    const char *version;               /* "heapscope 0.1.0" */
    const char *program;               /* what the user typed */
    uint32_t modes;
    uint32_t addresses; /* 1: blocks are known by these */
    uint32_t frames;    /* of a stack, at most HS_REC_FRAMES_MAX; 0: none */
} hs_recorder_config_t;

typedef enum hs_recorder_phase {
    HS_RECORDER_RUNS = 0,
    HS_RECORDER_OVER = 1,    /* the image is gone and all of its records are taken */
    HS_RECORDER_FINISHED = 2 /* its trace has its end */
} hs_recorder_phase_t;

/* NULL: no host memory, or no shared memory; errno tells. */
hs_recorder_t *hs_recorder_new(const hs_recorder_config_t *config);
void hs_recorder_delete(hs_recorder_t *recorder);

/* The descriptor of the shared memory, of this process. */
int hs_recorder_descriptor(const hs_recorder_t *recorder);
hs_rec_control_t *hs_recorder_control(hs_recorder_t *recorder);

/* Takes what there is for `milliseconds`, or until there is something for the caller: bytes of a
 * trace, an image that is over, an object that is wanted. Returns the records taken. */
uint64_t hs_recorder_pump(hs_recorder_t *recorder, uint32_t milliseconds);

/* A recorded program wrote over what all of them share. */
bool hs_recorder_is_overwritten(const hs_recorder_t *recorder);

/* Answers those who wait for the 32-bit object. */
void hs_recorder_object(hs_recorder_t *recorder, bool there);

/* Nothing is recorded any more; programs go on. Images that run are over with one of the next pumps:
 * a record that is just being written is waited for, a little. */
void hs_recorder_close(hs_recorder_t *recorder);

size_t hs_recorder_images(const hs_recorder_t *recorder);  /* all so far */
size_t hs_recorder_running(const hs_recorder_t *recorder); /* of these */
/* NULL: no such image, or it was released. */
hs_rec_image_t *hs_recorder_image(hs_recorder_t *recorder, size_t index);
hs_recorder_phase_t hs_recorder_phase(const hs_recorder_t *recorder, size_t index);
void hs_recorder_finish(hs_recorder_t *recorder, size_t index);
void hs_recorder_release(hs_recorder_t *recorder, size_t index);
/* The first image from `index` on that has bytes to take or is over and not finished; or SIZE_MAX. */
size_t hs_recorder_next_ready(const hs_recorder_t *recorder, size_t index);

#endif
