#include "measure/tab.h"

void hs_tab_settle(hs_tab_t *tab, uint32_t lowest, uint64_t event)
{
    hs_measure_t *measure = tab->measure;
    hs_sim_t *heap = tab->heap;
    hs_tab_close(tab, event);
    heap->tally.lowest_free = lowest;
    if (lowest < heap->tally.minimum_free) {
        heap->tally.minimum_free = lowest;
    }
    hs_measure_settle_rest(measure, hs_lows_settle_alone(&measure->lows.region[0], heap, event),
                           event);
    hs_tab_open(tab);
    hs_tab_catch_up(tab, event + 1);
}
