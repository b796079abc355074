#include "forks.h"

#include <stdlib.h>

static void give_up(hs_rec_forks_t *forks, hs_rec_fork_t *fork)
{
    forks->bytes -= fork->count * sizeof *fork->list;
    free(fork->list);
    fork->list = NULL; /* its entry stays until it is the first */
    fork->count = 0;
}

static void drop_first(hs_rec_forks_t *forks)
{
    give_up(forks, &forks->kept[forks->first]);
    forks->first = (forks->first + 1) % HS_REC_FORKS_MAX;
    forks->count--;
}

static hs_rec_fork_t *fork_at(hs_rec_forks_t *forks, size_t index)
{
    return &forks->kept[(forks->first + index) % HS_REC_FORKS_MAX];
}

void hs_rec_forks_clear(hs_rec_forks_t *forks)
{
    while (forks->count != 0) {
        drop_first(forks);
    }
}

/* Those that had a child go first: few have more than one. */
static void make_room(hs_rec_forks_t *forks, size_t bytes)
{
    for (size_t i = 0; i < forks->count && forks->bytes + bytes > HS_REC_FORKS_SEEN_BYTES; i++) {
        if (fork_at(forks, i)->sorted) {
            give_up(forks, fork_at(forks, i));
        }
    }
    while (forks->count != 0 &&
           (forks->count == HS_REC_FORKS_MAX || forks->bytes + bytes > HS_REC_FORKS_BYTES)) {
        drop_first(forks);
    }
}

void hs_rec_forks_keep(hs_rec_forks_t *forks, uint32_t place, uint32_t life, uint32_t number,
                       const hs_rec_blocks_t *blocks, bool paused)
{
    const size_t bytes = (size_t)blocks->count * sizeof(hs_rec_block_t);
    make_room(forks, bytes);
    hs_rec_block_t *list = malloc(bytes + sizeof *list);
    if (list == NULL) {
        return;
    }
    const size_t count = hs_rec_blocks_list(blocks, list);
    *fork_at(forks, forks->count++) = (hs_rec_fork_t){
        .place = place,
        .life = life,
        .number = number,
        .list = list,
        .count = count,
        .paused = paused,
    };
    forks->bytes += count * sizeof *list;
}

const hs_rec_fork_t *hs_rec_forks_find(hs_rec_forks_t *forks, uint32_t place, uint32_t life,
                                       uint32_t number)
{
    for (size_t i = 0; i < forks->count; i++) {
        hs_rec_fork_t *fork = fork_at(forks, i);
        if (fork->list != NULL && fork->place == place && fork->life == life &&
            fork->number == number) {
            if (!fork->sorted) {
                hs_rec_blocks_sort(fork->list, fork->count);
                fork->sorted = true;
            }
            return fork;
        }
    }
    return NULL;
}
