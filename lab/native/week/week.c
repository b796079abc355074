#include "week/week.h"

#include <stdlib.h>
#include <string.h>

#include "allocators/allocators.h"

/* ---- life ------------------------------------------------------------------------------------- */

static hs_status_t add_heap(hs_sim_t **out, const hs_lab_week_heap_t *plan)
{
    hs_allocator_t allocator;
    hs_status_t status = hs_allocator_parse(plan->allocator, &allocator);
    if (status == HS_OK) {
        *out = hs_sim_new(allocator, plan->base, plan->size, &status);
    }
    return status;
}

static hs_status_t add_player(hs_week_player_t *player, const hs_fit_t *trace,
                              const hs_lab_actor_t *plan)
{
    const size_t slots = trace->blocks.used;
    *player = (hs_week_player_t){
        .trace = trace,
        .plan = *plan,
        .offsets = malloc((slots + 1) * sizeof *player->offsets),
        .heaps = calloc(slots + 1, 1),
    };
    if (player->offsets == NULL || player->heaps == NULL) {
        return HS_ERR_MEMORY;
    }
    for (size_t i = 0; i < slots; i++) {
        player->offsets[i] = HS_NONE;
    }
    return HS_OK;
}

hs_status_t hs_week_init(hs_week_t *week, const hs_fit_t *const *traces,
                         const hs_lab_actor_t *actors, size_t count,
                         const hs_lab_week_heap_t *heaps, size_t heap_count)
{
    *week = (hs_week_t){0};
    if (heap_count == 0 || heap_count > HS_LAB_WEEK_HEAPS) {
        return HS_ERR_ARGUMENT;
    }
    week->players = calloc(count + 1, sizeof *week->players);
    hs_status_t status = week->players == NULL ? HS_ERR_MEMORY : HS_OK;
    for (size_t i = 0; i < heap_count && status == HS_OK; i++) {
        status = add_heap(&week->heaps[i], &heaps[i]);
    }
    for (size_t i = 0; i < count && status == HS_OK; i++) {
        week->player_count = i + 1;
        status = actors[i].apart != 0 && heap_count < 2
                     ? HS_ERR_ARGUMENT
                     : add_player(&week->players[i], traces[i], &actors[i]);
    }
    if (status != HS_OK) {
        hs_week_free(week);
    }
    return status;
}

void hs_week_free(hs_week_t *week)
{
    for (size_t i = 0; i < week->player_count; i++) {
        free(week->players[i].offsets);
        free(week->players[i].heaps);
    }
    for (size_t i = 0; i < HS_LAB_WEEK_HEAPS; i++) {
        hs_sim_delete(week->heaps[i]);
    }
    free(week->players);
    *week = (hs_week_t){0};
}

/* ---- one step --------------------------------------------------------------------------------- */

static uint32_t aligned_to(const hs_fit_step_t *step)
{
    return UINT32_C(1) << (step->what >> HS_FIT_ALIGN_SHIFT & 31u);
}

static void let_go(hs_week_t *week, hs_week_player_t *player, const hs_fit_step_t *step)
{
    uint32_t *offset = &player->offsets[step->slot];
    hs_sim_free(week->heaps[player->heaps[step->slot]], *offset,
                (step->what & HS_FIT_ALIGNED) != 0);
    *offset = HS_NONE;
}

static void allocate(hs_week_t *week, hs_week_player_t *player, const hs_fit_step_t *step,
                     hs_lab_turn_row_t *row)
{
    if (player->offsets[step->slot] != HS_NONE) {
        week->totals.replaced++;
        let_go(week, player, step);
    }
    const uint32_t task = step->what >> HS_FIT_TASK_SHIFT;
    const uint8_t at = player->plan.apart >> task & 1u;
    hs_sim_t *heap = week->heaps[at];
    uint32_t size = step->what & HS_FIT_WORDS ? (step->size + 3u) & ~UINT32_C(3) : step->size;
    uint32_t offset = HS_NONE;
    if (size <= heap->size && !(step->what & HS_FIT_NEVER)) {
        offset = step->what & HS_FIT_ALIGNED ? hs_sim_aligned(heap, aligned_to(step), size, 0)
                                             : hs_sim_malloc(heap, size);
    }
    player->offsets[step->slot] = offset;
    player->heaps[step->slot] = at;
    row->failures += offset == HS_NONE;
}

static void resize(hs_week_t *week, hs_week_player_t *player, const hs_fit_step_t *step,
                   hs_lab_turn_row_t *row)
{
    hs_sim_t *heap = week->heaps[player->heaps[step->slot]];
    const bool possible = step->size <= heap->size && !(step->what & HS_FIT_NEVER);
    const uint32_t moved =
        possible ? hs_sim_realloc(heap, player->offsets[step->slot], step->size) : HS_NONE;
    if (moved == HS_NONE) {
        row->failures++;
    } else {
        player->offsets[step->slot] = moved;
    }
}

/* A step whose block is not there does nothing. */
static void take(hs_week_t *week, hs_week_player_t *player, const hs_fit_step_t *step,
                 hs_lab_turn_row_t *row)
{
    const uint32_t kind = step->what & HS_FIT_KIND;
    if (kind == HS_FIT_SKIP || kind == HS_FIT_GAP) {
        return;
    }
    week->totals.steps++;
    if (kind <= HS_EVENT_ALIGNED) {
        allocate(week, player, step, row);
    } else if (player->offsets[step->slot] == HS_NONE) {
        week->totals.left_out++;
    } else if (kind == HS_EVENT_REALLOC) {
        resize(week, player, step, row);
    } else {
        let_go(week, player, step);
    }
}

/* ---- what a turn took -------------------------------------------------------------------------- */

static hs_steps_t work_of(const hs_week_t *week)
{
    hs_steps_t sum = week->heaps[0]->steps;
    if (week->heaps[1] != NULL) {
        const hs_steps_t *more = &week->heaps[1]->steps;
        sum.nodes += more->nodes;
        sum.bins += more->bins;
        sum.writes += more->writes;
        sum.copied += more->copied;
    }
    return sum;
}

static void account(hs_lab_turn_row_t *row, uint32_t kind, const hs_steps_t *before,
                    const hs_steps_t *after)
{
    row->mallocs += kind >= HS_EVENT_MALLOC && kind <= HS_EVENT_ALIGNED;
    row->reallocs += kind == HS_EVENT_REALLOC;
    row->frees += kind == HS_EVENT_FREE;
    row->nodes += after->nodes - before->nodes;
    row->free_nodes += kind == HS_EVENT_FREE ? after->nodes - before->nodes : 0;
    row->bins += after->bins - before->bins;
    row->writes += after->writes - before->writes;
    row->copied += after->copied - before->copied;
}

static const hs_fit_step_t *step_at(const hs_fit_t *trace, uint64_t index)
{
    return &trace->chunks[index / HS_FIT_CHUNK][index % HS_FIT_CHUNK];
}

static void look(const hs_week_t *week, hs_lab_turn_row_t *row)
{
    for (size_t i = 0; i < HS_LAB_WEEK_HEAPS; i++) {
        hs_sim_t *heap = week->heaps[i];
        if (heap != NULL) {
            row->free[i] = heap->tally.free;
            row->largest[i] = hs_sim_largest_allocatable(heap);
            row->free_blocks[i] = hs_sim_free_blocks(heap);
            row->used_blocks[i] = heap->tally.used_blocks;
        }
    }
}

static void play(hs_week_t *week, const hs_lab_turn_t *turn, hs_lab_turn_row_t *row)
{
    hs_week_player_t *player = &week->players[turn->actor];
    for (uint64_t i = turn->first; i < turn->first + turn->count; i++) {
        const hs_fit_step_t *step = step_at(player->trace, i);
        const uint32_t task = step->what >> HS_FIT_TASK_SHIFT;
        if (!(player->plan.played >> task & 1u)) {
            continue;
        }
        if (player->plan.watched >> task & 1u) {
            const hs_steps_t before = work_of(week);
            take(week, player, step, row);
            const hs_steps_t after = work_of(week);
            account(row, step->what & HS_FIT_KIND, &before, &after);
        } else {
            take(week, player, step, row);
        }
    }
    if (turn->look) {
        look(week, row);
    }
}

static bool is_playable(const hs_week_t *week, const hs_lab_turn_t *turn)
{
    if (turn->actor >= week->player_count) {
        return false;
    }
    const uint64_t steps = week->players[turn->actor].trace->steps;
    return turn->first <= steps && turn->count <= steps - turn->first;
}

hs_status_t hs_week_play(hs_week_t *week, const hs_lab_turn_t *turns, size_t count,
                         hs_lab_turn_row_t *rows)
{
    for (size_t i = 0; i < count; i++) {
        if (!is_playable(week, &turns[i])) {
            return HS_ERR_ARGUMENT;
        }
    }
    for (size_t i = 0; i < count; i++) {
        rows[i] = (hs_lab_turn_row_t){0};
        play(week, &turns[i], &rows[i]);
    }
    return HS_OK;
}
