#include "measure/hole.h"

#include <stdlib.h>
#include <string.h>

#define TRIES_MAX 4000u /* holes; an allocator's rounding is passed in far fewer */

/* ---- a region in pieces ----------------------------------------------------------------------- */

typedef struct gathering {
    hs_pieces_t *pieces;
    size_t capacity;
    bool failed;
} gathering_t;

static bool gather(void *context, const hs_walk_block_t *block)
{
    gathering_t *to = context;
    if (to->pieces->count == to->capacity) {
        const size_t grown = to->capacity * 2 + 64;
        hs_piece_t *moved = realloc(to->pieces->rows, grown * sizeof *moved);
        if (moved == NULL) {
            to->failed = true;
            return false;
        }
        to->pieces->rows = moved;
        to->capacity = grown;
    }
    const hs_piece_t piece = {block->offset, block->size, block->used, NULL};
    to->pieces->rows[to->pieces->count++] = piece;
    return true;
}

static int by_offset(const void *left, const void *right)
{
    const hs_block_t *const *a = left, *const *b = right;
    return ((*a)->place.offset > (*b)->place.offset) - ((*a)->place.offset < (*b)->place.offset);
}

static bool is_in(const hs_block_t *block, uint32_t region)
{
    return (block->flags & HS_BLOCK_LIVE) && !(block->flags & HS_BLOCK_NOWHERE) &&
           block->place.region == region;
}

/* A program's address lies inside its raw block: behind poison, or where alignment put it. */
static void name_blocks(hs_pieces_t *pieces, const hs_block_t **sorted, size_t count)
{
    size_t next = 0;
    for (size_t i = 0; i < pieces->count; i++) {
        hs_piece_t *piece = &pieces->rows[i];
        while (next < count && sorted[next]->place.offset < piece->offset) {
            next++;
        }
        if (piece->used && next < count &&
            sorted[next]->place.offset - piece->offset < piece->size) {
            piece->block = sorted[next++];
        }
    }
}

hs_status_t hs_pieces_init(hs_pieces_t *pieces, const hs_chip_t *chip, uint32_t region,
                           const hs_blocks_t *blocks)
{
    memset(pieces, 0, sizeof *pieces);
    if (chip->region[region].heap == NULL) {
        return HS_OK;
    }
    gathering_t to = {pieces, 0, false};
    hs_sim_walk(chip->region[region].heap, gather, &to);
    const hs_block_t **sorted = malloc((hs_blocks_count(blocks) + 1) * sizeof *sorted);
    if (to.failed || sorted == NULL) {
        free((void *)sorted);
        hs_pieces_free(pieces);
        return HS_ERR_MEMORY;
    }
    size_t count = 0;
    for (size_t i = 0; i < blocks->used; i++) {
        if (is_in(&blocks->records[i], region)) {
            sorted[count++] = &blocks->records[i];
        }
    }
    qsort((void *)sorted, count, sizeof *sorted, by_offset);
    name_blocks(pieces, sorted, count);
    free((void *)sorted);
    return HS_OK;
}

void hs_pieces_free(hs_pieces_t *pieces)
{
    free(pieces->rows);
    memset(pieces, 0, sizeof *pieces);
}

/* ---- the best hole ---------------------------------------------------------------------------- */

/* Can the piece be inside a hole? The own block only at its start: it grows upwards. */
static bool gives_way(const hs_piece_t *piece, const hs_block_t *own)
{
    return !piece->used || (piece->block != NULL && piece->block != own);
}

static void add(hs_hole_t *hole, const hs_piece_t *piece, const hs_block_t *own)
{
    if (!piece->used) {
        hole->free += piece->size;
    } else if (piece->block != own) {
        hole->live += piece->block->requested;
        hole->blocks++;
    }
}

static void drop(hs_hole_t *hole, const hs_piece_t *piece, const hs_block_t *own)
{
    if (!piece->used) {
        hole->free -= piece->size;
    } else if (piece->block != own) {
        hole->live -= piece->block->requested;
        hole->blocks--;
    }
}

static uint32_t span(const hs_piece_t *first, const hs_piece_t *last)
{
    return last->offset + last->size - first->offset;
}

/* The runs that are still worth a try, one a first piece, as a heap with the cheapest on top. */
typedef struct queue {
    hs_hole_t *runs;
    size_t count;
} queue_t;

static bool is_cheaper(const hs_hole_t *a, const hs_hole_t *b)
{
    if (a->live != b->live) {
        return a->live < b->live;
    }
    return a->blocks != b->blocks ? a->blocks < b->blocks : a->first < b->first;
}

/* Puts the run at `place` where it belongs below. */
static void sink(queue_t *queue, size_t place)
{
    const hs_hole_t run = queue->runs[place];
    for (size_t child; (child = 2 * place + 1) < queue->count; place = child) {
        if (child + 1 < queue->count && is_cheaper(&queue->runs[child + 1], &queue->runs[child])) {
            child++;
        }
        if (!is_cheaper(&queue->runs[child], &run)) {
            break;
        }
        queue->runs[place] = queue->runs[child];
    }
    queue->runs[place] = run;
}

/* The shortest run of at least `size` bytes from each piece on: two ends that move up together. */
static void gather_runs(const hs_pieces_t *pieces, uint32_t size, const hs_block_t *own,
                        queue_t *queue)
{
    const hs_piece_t *rows = pieces->rows;
    hs_hole_t run = {0};
    size_t end = 0; /* one behind the run's last piece */
    for (size_t first = 0; first < pieces->count; first++) {
        if (end <= first) {
            memset(&run, 0, sizeof run);
            end = first + 1;
            if (!gives_way(&rows[first], own) && (own == NULL || rows[first].block != own)) {
                continue;
            }
            add(&run, &rows[first], own);
        }
        while (span(&rows[first], &rows[end - 1]) < size && end < pieces->count &&
               gives_way(&rows[end], own)) {
            add(&run, &rows[end++], own);
        }
        run.first = first;
        run.last = end - 1;
        run.size = span(&rows[first], &rows[end - 1]);
        if (run.size >= size) {
            queue->runs[queue->count++] = run;
        }
        drop(&run, &rows[first], own);
    }
    for (size_t i = queue->count / 2; i-- > 0;) {
        sink(queue, i);
    }
}

/* Takes the next piece into the run on top, or gives that up. */
static void extend(queue_t *queue, const hs_pieces_t *pieces, const hs_block_t *own)
{
    hs_hole_t *run = &queue->runs[0];
    if (run->last + 1 < pieces->count && gives_way(&pieces->rows[run->last + 1], own)) {
        run->last++;
        add(run, &pieces->rows[run->last], own);
        run->size = span(&pieces->rows[run->first], &pieces->rows[run->last]);
    } else {
        queue->runs[0] = queue->runs[--queue->count];
    }
    if (queue->count != 0) {
        sink(queue, 0);
    }
}

/* Some allocators keep aligned blocks in another way, and cannot resize them. */
static bool can_grow(const hs_chip_region_t *region, const hs_block_t *own)
{
    return !(own->place.aligned && region->heap->model->aligned_is_own);
}

/* Does a copy of the heap serve the request, once the hole's blocks are freed there? */
static bool serves(const hs_chip_region_t *region, const hs_pieces_t *pieces, const hs_hole_t *hole,
                   const hs_request_t *request, const hs_block_t *own)
{
    hs_chip_region_t copy = *region;
    copy.heap = hs_sim_clone(region->heap);
    if (copy.heap == NULL) {
        return false;
    }
    for (size_t i = hole->first; i <= hole->last; i++) {
        const hs_block_t *block = pieces->rows[i].block;
        if (block != NULL && block != own) {
            hs_sim_free(copy.heap, block->place.offset, block->place.aligned);
        }
    }
    bool fits = hs_region_fits(&copy, request);
    if (!fits && own != NULL && pieces->rows[hole->first].block == own && can_grow(region, own)) {
        fits = hs_sim_realloc(copy.heap, own->place.offset, request->size) != HS_NONE;
    }
    hs_sim_delete(copy.heap);
    return fits;
}

/* Is there a header between all pieces? Otherwise neighbours may be slots that do not join,
 * and a hole's size alone says little. */
static bool has_headers(const hs_pieces_t *pieces)
{
    for (size_t i = 1; i < pieces->count; i++) {
        const hs_piece_t *before = &pieces->rows[i - 1];
        if (before->offset + before->size >= pieces->rows[i].offset) {
            return false;
        }
    }
    return true;
}

/* The needs of an allocator beyond the size (poison, bins, alignment) are found by trying. Where it
 * serves every size up to its largest, a hole that does not do rules out all that are not larger. */
static bool search(const hs_chip_region_t *region, const hs_pieces_t *pieces,
                   const hs_request_t *request, const hs_block_t *own, queue_t *queue,
                   hs_hole_t *hole)
{
    const bool by_size =
        region->heap->model->serves_up_to_largest && request->align == 0 && has_headers(pieces);
    uint32_t too_small = 0;
    for (uint32_t tries = 0; queue->count != 0 && tries < TRIES_MAX;) {
        *hole = queue->runs[0];
        const bool grows = own != NULL && pieces->rows[hole->first].block == own;
        if (!by_size || grows || hole->size > too_small) {
            tries++;
            if (serves(region, pieces, hole, request, own)) {
                return true;
            }
            too_small = !grows && hole->size > too_small ? hole->size : too_small;
        }
        extend(queue, pieces, own);
    }
    return false;
}

bool hs_hole_find(const hs_chip_region_t *region, const hs_pieces_t *pieces,
                  const hs_request_t *request, const hs_block_t *own, hs_hole_t *hole)
{
    if (region->heap == NULL || request->size == 0 || request->size > region->size) {
        return false;
    }
    queue_t queue = {malloc((pieces->count + 1) * sizeof *queue.runs), 0};
    if (queue.runs == NULL) {
        return false;
    }
    gather_runs(pieces, request->size, own, &queue);
    const bool hit = search(region, pieces, request, own, &queue, hole);
    free(queue.runs);
    return hit;
}
