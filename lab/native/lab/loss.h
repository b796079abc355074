/* Events after a trace's first loss: they are counted in unbroken parts and not used otherwise. */
#ifndef HEAPSCOPE_NATIVE_LOSS_H
#define HEAPSCOPE_NATIVE_LOSS_H

#include <stdbool.h>

#include "heapscope/status.h"
#include "heapscope/trace.h"
#include "lab/lab.h"
#include "replay/replay.h"
#include "trace/decoder.h"

typedef struct hs_loss {
    bool lost;         /* an event after the loss has come */
    bool open;         /* `part` is a census under way */
    uint64_t expected; /* the next event number of the part */
    hs_replay_t part;
    hs_lab_loss_t sums; /* over the parts that are closed */
} hs_loss_t;

void hs_loss_free(hs_loss_t *loss);

/* How many of a batch's events come before the first loss. `lost_at`: the decoder's; `plain`: all are heap
 * events. */
size_t hs_loss_split(hs_loss_t *loss, uint64_t lost_at, const hs_event_t *events, size_t count,
                     bool plain);

/* Takes events after the loss; `first` is the number of the first heap event. HS_ERR_MEMORY: no host
 * memory for another live block. */
hs_status_t hs_loss_take(hs_loss_t *loss, uint64_t first, const hs_event_t *events, size_t count,
                         bool by_address);

/* The trace is over. */
void hs_loss_finish(hs_loss_t *loss);

#endif
