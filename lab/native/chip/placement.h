/*
 * Rules that send requests to chosen regions and private heaps (`--place`), by task, call site,
 * recorded heap and size. The names are settled before the first event: for each index that a trace
 * can have there is a set of rules by bit, so that an event costs a few loads and the sizes of the
 * rules that are left.
 */
#ifndef HEAPSCOPE_NATIVE_PLACEMENT_H
#define HEAPSCOPE_NATIVE_PLACEMENT_H

#include <stdbool.h>
#include <stdint.h>

#include "chip/chip.h"
#include "heapscope/trace.h"
#include "rows/replay.h"

#define HS_RULE_NAMES_PAGE 256u

/* Rules by index. Memory follows the indices that are named, and not the highest of them. */
typedef struct hs_rule_names {
    uint64_t **pages; /* NULL: all indices have `others`; so has a page that is NULL */
    uint64_t others;
} hs_rule_names_t;

typedef struct hs_placement {
    uint32_t count; /* rules; 0: the functions below are not to be called, but init and free */
    uint32_t highs; /* rules for the high end */
    hs_lab_rule_t rule[HS_LAB_RULES_MAX];
    hs_rule_names_t tasks, sites, heaps;
    hs_lab_rule_row_t row[HS_LAB_RULES_MAX + 1]; /* the last in use: what no rule placed */
} hs_placement_t;

/* HS_ERR_ARGUMENT: too many rules; a rule for no region, or for one that is not there; a private heap
 * taken from one. HS_ERR_MEMORY. */
hs_status_t hs_placement_init(hs_placement_t *placement, const hs_lab_config_t *config);
void hs_placement_free(hs_placement_t *placement);

/* The first rule that matches a request of the event; UINT32_MAX: none. *unfit: its regions have not
 * the capabilities asked for. */
uint32_t hs_placement_find(const hs_placement_t *placement, const hs_chip_t *chip,
                           const hs_event_t *event, const hs_request_t *request, bool *unfit);

/* Does the first rule that matches ask for the high end? The capabilities play no part in it. */
bool hs_placement_is_high(const hs_placement_t *placement, const hs_event_t *event, uint32_t size);

/* hs_chip_allocate and hs_chip_reallocate, with the rules. */
bool hs_placement_allocate(hs_placement_t *placement, hs_chip_t *chip, const hs_event_t *event,
                           const hs_request_t *request, hs_place_t *place);
bool hs_placement_reallocate(hs_placement_t *placement, hs_chip_t *chip, const hs_event_t *event,
                             const hs_request_t *request, hs_place_t *place);
/* Would an allocation be served now? Pure. */
bool hs_placement_fits(const hs_placement_t *placement, hs_chip_t *chip, const hs_event_t *event,
                       const hs_request_t *request);
/* The regions that the request may be served by; `old`: a realloc's block, or NULL. */
uint32_t hs_placement_mask(const hs_placement_t *placement, hs_chip_t *chip,
                           const hs_event_t *event, const hs_request_t *request,
                           const hs_place_t *old);

/* The blocks that a rule placed, by bytes asked for. */
void hs_placement_gain(hs_placement_t *placement, const hs_place_t *place, uint32_t payload,
                       uint64_t event);
void hs_placement_lose(hs_placement_t *placement, const hs_place_t *place, uint32_t payload);

#endif
