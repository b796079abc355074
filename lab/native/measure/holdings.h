/*
 * Who holds the memory, by call site and by size of the request, and where each live block of a
 * replay came from. Beside the replay's own records: one origin for each, by its index.
 */
#ifndef HEAPSCOPE_NATIVE_HOLDINGS_H
#define HEAPSCOPE_NATIVE_HOLDINGS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "chip/blocks.h"
#include "heapscope/trace.h"
#include "measure/ledger.h"
#include "rows/picture.h"

/* The (last re)allocation of one live block. */
typedef struct hs_birth {
    uint64_t event, time;
    uint32_t site;
    uint32_t drawn; /* its number in a picture's table, plus 1; 0: not in it */
} hs_birth_t;

typedef struct hs_holdings {
    hs_birth_t *births; /* by record of hs_blocks_t */
    size_t births_size;
    hs_ledger_t sites, classes; /* owners with one kind: the "task" is the site or the class */
    uint32_t *site_peak, *class_peak; /* payload by slot at the moment of hs_holdings_keep */
    uint32_t site_peak_size, class_peak_size;
} hs_holdings_t;

void hs_holdings_init(hs_holdings_t *holdings);
void hs_holdings_free(hs_holdings_t *holdings);
/* The block in record `record` is the program's from now on. false: no host memory. */
bool hs_holdings_gain(hs_holdings_t *holdings, size_t record, const hs_block_t *block,
                      const hs_event_t *event, uint64_t number);
void hs_holdings_lose(hs_holdings_t *holdings, const hs_block_t *block, const hs_birth_t *birth);
bool hs_holdings_failed(hs_holdings_t *holdings, const hs_event_t *event);
/* The origin of a record, which stays a zero birth where nothing was gained. */
bool hs_holdings_reserve(hs_holdings_t *holdings, size_t records);
/* Notes what each site and class holds now. */
bool hs_holdings_keep(hs_holdings_t *holdings);
size_t hs_holdings_sites(const hs_holdings_t *holdings, hs_lab_holding_row_t *rows,
                         size_t capacity);
size_t hs_holdings_classes(const hs_holdings_t *holdings, hs_lab_holding_row_t *rows,
                           size_t capacity);

#endif
