#define _GNU_SOURCE /* clock_gettime */

#include <time.h>

#include "recorder_state.h"

double hs_recorder_now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

void hs_recorder_take_time(const hs_recorder_t *recorder, hs_rec_image_t *image, double time)
{
    if (time > recorder->began && time <= hs_recorder_now()) {
        const uint64_t ticks = (uint64_t)((time - recorder->began) * 1e6);
        image->time = ticks > image->time ? ticks : image->time;
    }
}
