/*
 * The data that a report is drawn from, watched event by event: in a first replay the columns of the
 * time axis with their extremes, in a second one the picture and who held the memory. It is off
 * otherwise, and then an event costs nothing.
 */
#ifndef HEAPSCOPE_NATIVE_SURVEY_H
#define HEAPSCOPE_NATIVE_SURVEY_H

#include <stddef.h>
#include <stdint.h>

#include "heapscope/status.h"
#include "heapscope/trace.h"
#include "measure/columns.h"
#include "measure/holdings.h"
#include "measure/picture.h"

typedef enum hs_survey_mode { HS_SURVEY_OFF, HS_SURVEY_SCAN, HS_SURVEY_DRAW } hs_survey_mode_t;

typedef struct hs_survey {
    hs_survey_mode_t mode;
    uint64_t peak; /* event after which holdings are noted */
    hs_columns_t columns;
    hs_holdings_t holdings;
    hs_picture_t picture;
} hs_survey_t;

struct hs_replay;

/* HS_ERR_ARGUMENT: not an even number of columns, or beyond lab.h's limit. */
hs_status_t hs_survey_scan(hs_survey_t *survey, const hs_measure_t *measure, uint32_t columns);
hs_status_t hs_survey_draw(hs_survey_t *survey, const hs_chip_t *chip, const uint64_t *events,
                           size_t columns, const uint32_t *rows, uint64_t peak);
void hs_survey_free(hs_survey_t *survey);
/* Lets the heap event happen, and looks at it if the survey is on. */
hs_status_t hs_survey_event(struct hs_replay *replay, const hs_event_t *event, uint64_t number);
hs_status_t hs_survey_finish(hs_survey_t *survey);

#endif
