/*
 * The small objects of an application: named settings in a list. They are made at the start, change
 * their values, become more, and are never freed.
 */
#ifndef HEAPSCOPE_WORKLOADS_MIX_SETTINGS_H
#define HEAPSCOPE_WORKLOADS_MIX_SETTINGS_H

#include <stdint.h>

#include "recorder.h"

typedef struct hs_settings {
    hs_rec_t *rec;
    struct hs_setting *first;
    unsigned count;
    uint64_t random;
} hs_settings_t;

/* Adds a setting with a name of 6 to 24 and a value of 2 to 40 bytes. */
void hs_settings_add(hs_settings_t *settings);

/* Gives one of them another value, in a block of its own. */
void hs_settings_change(hs_settings_t *settings);

#endif
