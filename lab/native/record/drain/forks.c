#include "forks.h"

#include <stdlib.h>

static void drop_first(hs_rec_forks_t *forks)
{
    hs_rec_fork_t *fork = &forks->kept[forks->first];
    forks->bytes -= fork->count * sizeof *fork->list;
    free(fork->list);
    *fork = (hs_rec_fork_t){0};
    forks->first = (forks->first + 1) % HS_REC_FORKS_MAX;
    forks->count--;
}

void hs_rec_forks_clear(hs_rec_forks_t *forks)
{
    while (forks->count != 0) {
        drop_first(forks);
    }
}

void hs_rec_forks_keep(hs_rec_forks_t *forks, uint32_t place, uint32_t life, uint32_t number,
                       const hs_rec_blocks_t *blocks)
{
    const size_t bytes = (size_t)blocks->count * sizeof(hs_rec_block_t);
    while (forks->count != 0 &&
           (forks->count == HS_REC_FORKS_MAX || forks->bytes + bytes > HS_REC_FORKS_BYTES)) {
        drop_first(forks);
    }
    hs_rec_block_t *list = malloc(bytes + sizeof *list);
    if (list == NULL) {
        return;
    }
    const size_t count = hs_rec_blocks_list(blocks, list);
    forks->kept[(forks->first + forks->count) % HS_REC_FORKS_MAX] =
        (hs_rec_fork_t){place, life, number, list, count};
    forks->count++;
    forks->bytes += count * sizeof *list;
}

hs_rec_block_t *hs_rec_forks_take(hs_rec_forks_t *forks, uint32_t place, uint32_t life,
                                  uint32_t number, size_t *count)
{
    for (size_t i = 0; i < forks->count; i++) {
        hs_rec_fork_t *fork = &forks->kept[(forks->first + i) % HS_REC_FORKS_MAX];
        if (fork->list != NULL && fork->place == place && fork->life == life &&
            fork->number == number) {
            hs_rec_block_t *list = fork->list;
            *count = fork->count;
            forks->bytes -= fork->count * sizeof *list;
            fork->list = NULL; /* its entry stays until it is the first */
            fork->count = 0;
            hs_rec_blocks_sort(list, *count);
            return list;
        }
    }
    *count = 0;
    return NULL;
}
