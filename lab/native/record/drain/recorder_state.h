/* The recorder's state, which its files share. Private. */
#ifndef HEAPSCOPE_RECORD_RECORDER_STATE_H
#define HEAPSCOPE_RECORD_RECORDER_STATE_H

#include "forks.h"
#include "recorder.h"

/* A place of the shared memory that is taken, and the image that records there. */
typedef struct hs_rec_taken {
    hs_rec_ring_t *ring; /* NULL: not in use */
    size_t image;
    uint32_t life;
    uint32_t next;     /* record to take */
    uint32_t released; /* what the ring's tail says since */
    bool round;        /* the ring's first one is taken */
    bool passed;       /* a record was given up, and may be written at any time */
    int process;       /* pidfd; -1: none */
    bool ended;        /* nothing writes here any more */
    bool closing;      /* the recording is over, and the process is not */
    uint32_t until;    /* then: the first record that is not taken */
    double hole_since; /* 0: no record holds the others up */
    double emptied;    /* when all records were taken last: those that follow are not older */
} hs_rec_taken_t;

typedef struct hs_rec_entry {
    hs_rec_image_t *image;
    hs_recorder_phase_t phase;
} hs_rec_entry_t;

struct hs_recorder {
    hs_rec_control_t *control;
    int memory;
    hs_rec_control_t known; /* the control as it was made */
    bool closes;            /* it says that nothing is taken any more */
    bool overwritten;       /* a program wrote over it */
    double began, looked;
    double passed; /* when the last pass began */
    double closed; /* since when nothing is taken any more; 0: not yet */
    hs_rec_origin_t origin;
    char version[64], program[512];
    hs_rec_entry_t *images;
    size_t image_count, image_capacity, running;
    size_t first_held; /* all images before it were released */
    hs_rec_forks_t forks;
    hs_rec_taken_t places[HS_REC_PROCESSES];
};

/* Whether the shared memory can be what both halves made of it; O(1) each. False: the program wrote
 * over it. The last two ask of a record that is next, and of a place whose record is not written. */
bool hs_recorder_control_is_ours(const hs_recorder_t *recorder);
bool hs_recorder_ring_is_sound(const hs_recorder_t *recorder, const hs_rec_taken_t *place,
                               uint32_t head);
bool hs_recorder_record_is_sound(const hs_recorder_t *recorder, const hs_rec_taken_t *place,
                                 const hs_rec_event_t *record);
bool hs_recorder_hole_is_sound(const hs_rec_taken_t *place);

/* A new image runs. False: no host memory. */
bool hs_recorder_add(hs_recorder_t *recorder, hs_rec_image_t *image);
/* Whether the caller should look: a finished image, enough bytes, an object that is wanted. */
bool hs_recorder_has_news(const hs_recorder_t *recorder);

/* Seconds of the clock that records of the time have. */
double hs_recorder_now(void);
/* Later events of the image are not older than `time`; no effect where that is to come. */
void hs_recorder_take_time(const hs_recorder_t *recorder, hs_rec_image_t *image, double time);

/* Marks the places whose processes have ended. O(places). */
void hs_recorder_look_at_life(hs_recorder_t *recorder);
/* A descriptor that tells when a process ends; -1: none, errno tells. */
int hs_recorder_process(uint32_t pid);
/* Whether the parent's records up to the fork are taken, or will never be. */
bool hs_recorder_parent_passed(const hs_recorder_t *recorder, const hs_rec_ring_t *ring);
/* Whether a signal or a debugger holds the process: it does nothing, and is not over. */
bool hs_recorder_is_stopped(uint32_t pid);

#endif
