#include "week.h"

#include <stdbool.h>
#include <stdlib.h>

#include "heapscope/status.h"
#include "heapscope/trace.h"

#define NOTHING UINT32_MAX /* the offset of no block */
#define FNV_BASIS UINT64_C(0xcbf29ce484222325)
#define FNV_PRIME UINT64_C(0x100000001b3)

typedef struct hs_week_player {
    const hs_lab_steps_t *trace;
    hs_week_actor_t plan;
    uint32_t *offsets; /* NOTHING: no block is there */
    uint8_t *heaps;    /* where it is */
} hs_week_player_t;

struct hs_week {
    const hs_lab_heap_calls_t *calls;
    hs_lab_heap_t *heaps[HS_WEEK_HEAPS];
    hs_week_player_t *players;
    size_t player_count;
    hs_week_totals_t totals;
    uint64_t digest;
};

/* ---- life ------------------------------------------------------------------------------------- */

static int add_player(hs_week_t *week, const hs_lab_steps_t *trace, const hs_week_actor_t *plan)
{
    const size_t slots = (size_t)week->calls->slots(trace);
    hs_week_player_t *player = &week->players[week->player_count++];
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
        player->offsets[i] = NOTHING;
    }
    return plan->apart != 0 && week->heaps[1] == NULL ? HS_ERR_ARGUMENT : HS_OK;
}

static int fill(hs_week_t *week, hs_lab_steps_t *const *traces, const hs_week_actor_t *actors,
                size_t count, const hs_week_heap_t *heaps, size_t heap_count)
{
    if (heap_count == 0 || heap_count > HS_WEEK_HEAPS) {
        return HS_ERR_ARGUMENT;
    }
    week->players = calloc(count + 1, sizeof *week->players);
    int status = week->players == NULL ? HS_ERR_MEMORY : HS_OK;
    for (size_t i = 0; i < heap_count && status == HS_OK; i++) {
        week->heaps[i] =
            week->calls->create(heaps[i].allocator, heaps[i].base, heaps[i].size, &status);
    }
    for (size_t i = 0; i < count && status == HS_OK; i++) {
        status = add_player(week, traces[i], &actors[i]);
    }
    return status;
}

hs_week_t *hs_week_new(const hs_lab_heap_calls_t *calls, hs_lab_steps_t *const *traces,
                       const hs_week_actor_t *actors, size_t count, const hs_week_heap_t *heaps,
                       size_t heap_count, int *status)
{
    hs_week_t *week = calloc(1, sizeof *week);
    *status = HS_ERR_MEMORY;
    if (week == NULL) {
        return NULL;
    }
    week->calls = calls;
    week->digest = FNV_BASIS;
    *status = fill(week, traces, actors, count, heaps, heap_count);
    if (*status != HS_OK) {
        hs_week_delete(week);
        return NULL;
    }
    return week;
}

void hs_week_delete(hs_week_t *week)
{
    if (week == NULL) {
        return;
    }
    for (size_t i = 0; i < week->player_count; i++) {
        free(week->players[i].offsets);
        free(week->players[i].heaps);
    }
    for (size_t i = 0; i < HS_WEEK_HEAPS; i++) {
        week->calls->destroy(week->heaps[i]);
    }
    free(week->players);
    free(week);
}

/* ---- one step --------------------------------------------------------------------------------- */

static void note(hs_week_t *week, uint32_t answer)
{
    for (unsigned byte = 0; byte < sizeof answer; byte++) {
        week->digest = (week->digest ^ (answer >> 8 * byte & 0xFFu)) * FNV_PRIME;
    }
}

static void let_go(hs_week_t *week, hs_week_player_t *player, const hs_lab_step_t *step)
{
    uint32_t *offset = &player->offsets[step->slot];
    week->calls->free(week->heaps[player->heaps[step->slot]], *offset, step->align != 0);
    *offset = NOTHING;
}

static void allocate(hs_week_t *week, hs_week_player_t *player, const hs_lab_step_t *step,
                     hs_week_row_t *row)
{
    if (player->offsets[step->slot] != NOTHING) {
        week->totals.replaced++;
        let_go(week, player, step);
    }
    const uint8_t at = player->plan.apart >> step->task & 1u;
    hs_lab_heap_t *heap = week->heaps[at];
    uint32_t offset = NOTHING;
    if (!step->never) {
        offset = step->align != 0 ? week->calls->aligned(heap, step->align, step->size)
                                  : week->calls->malloc(heap, step->size);
    }
    player->offsets[step->slot] = offset;
    player->heaps[step->slot] = at;
    note(week, offset);
    row->failures += offset == NOTHING;
}

static void resize(hs_week_t *week, hs_week_player_t *player, const hs_lab_step_t *step,
                   hs_week_row_t *row)
{
    hs_lab_heap_t *heap = week->heaps[player->heaps[step->slot]];
    uint32_t *offset = &player->offsets[step->slot];
    const uint32_t moved = step->never ? NOTHING : week->calls->realloc(heap, *offset, step->size);
    note(week, moved);
    if (moved == NOTHING) {
        row->failures++;
    } else {
        *offset = moved;
    }
}

/* A step whose block is not there does nothing. */
static void take(hs_week_t *week, hs_week_player_t *player, const hs_lab_step_t *step,
                 hs_week_row_t *row)
{
    if (step->kind == 0) {
        return;
    }
    week->totals.steps++;
    if (step->kind <= HS_EVENT_ALIGNED) {
        allocate(week, player, step, row);
    } else if (player->offsets[step->slot] == NOTHING) {
        week->totals.left_out++;
    } else if (step->kind == HS_EVENT_REALLOC) {
        resize(week, player, step, row);
    } else {
        let_go(week, player, step);
    }
}

/* ---- what a turn took -------------------------------------------------------------------------- */

static hs_lab_work_t work_of(const hs_week_t *week)
{
    hs_lab_work_t sum, more;
    week->calls->work(week->heaps[0], &sum);
    if (week->heaps[1] != NULL) {
        week->calls->work(week->heaps[1], &more);
        sum.nodes += more.nodes;
        sum.bins += more.bins;
        sum.writes += more.writes;
        sum.copied += more.copied;
    }
    return sum;
}

static void account(hs_week_row_t *row, uint32_t kind, const hs_lab_work_t *before,
                    const hs_lab_work_t *after)
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

static void look(const hs_week_t *week, hs_week_row_t *row)
{
    for (size_t i = 0; i < HS_WEEK_HEAPS; i++) {
        if (week->heaps[i] != NULL) {
            hs_lab_heap_state_t state;
            week->calls->state(week->heaps[i], &state);
            row->free[i] = state.free;
            row->largest[i] = state.largest;
            row->free_blocks[i] = state.free_blocks;
            row->used_blocks[i] = state.used_blocks;
        }
    }
}

static void play(hs_week_t *week, const hs_week_turn_t *turn, hs_week_row_t *row)
{
    hs_week_player_t *player = &week->players[turn->actor];
    for (uint64_t i = turn->first; i < turn->first + turn->count; i++) {
        hs_lab_step_t step;
        week->calls->step(player->trace, i, &step);
        if (!(player->plan.played >> step.task & 1u)) {
            continue;
        }
        if (player->plan.watched >> step.task & 1u) {
            const hs_lab_work_t before = work_of(week);
            take(week, player, &step, row);
            const hs_lab_work_t after = work_of(week);
            account(row, step.kind, &before, &after);
        } else {
            take(week, player, &step, row);
        }
    }
    row->digest = week->digest;
    if (turn->look) {
        look(week, row);
    }
}

static bool is_playable(const hs_week_t *week, const hs_week_turn_t *turn)
{
    if (turn->actor >= week->player_count) {
        return false;
    }
    const uint64_t steps = week->calls->steps(week->players[turn->actor].trace);
    return turn->first <= steps && turn->count <= steps - turn->first;
}

int hs_week_play(hs_week_t *week, const hs_week_turn_t *turns, size_t count, hs_week_row_t *rows)
{
    for (size_t i = 0; i < count; i++) {
        if (!is_playable(week, &turns[i])) {
            return HS_ERR_ARGUMENT;
        }
    }
    for (size_t i = 0; i < count; i++) {
        rows[i] = (hs_week_row_t){0};
        play(week, &turns[i], &rows[i]);
    }
    return HS_OK;
}

void hs_week_totals(const hs_week_t *week, hs_week_totals_t *out)
{
    *out = week->totals;
}
