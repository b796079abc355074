/* Pictures of a history: blocks by time and address, failed requests, live bytes. */
#include <string.h>

#include "history/history.h"

static double events_of(uint64_t parts)
{
    return (double)parts / HS_LAB_HISTORY_PARTS;
}

typedef struct hs_strip {
    bool there;
    double low, high, down; /* down: rows a byte */
    uint32_t top, bottom;
} hs_strip_t;

static void read_strips(const hs_lab_view_t *view, hs_strip_t strips[HS_HISTORY_NOWHERE + 1])
{
    memset(strips, 0, (HS_HISTORY_NOWHERE + 1) * sizeof *strips);
    for (size_t i = 0; i < view->strip_count; i++) {
        const hs_lab_strip_t *from = &view->strips[i];
        if (from->region >= HS_HISTORY_NOWHERE || from->high <= from->low ||
            from->bottom <= from->top || from->bottom > view->height) {
            continue;
        }
        hs_strip_t *to = &strips[from->region];
        to->there = true;
        to->low = events_of(from->low);
        to->high = events_of(from->high);
        to->top = from->top;
        to->bottom = from->bottom;
        to->down = (to->bottom - to->top) / (to->high - to->low);
    }
}

/* Rows from..to, which count from the top. */
static void rows_of(const hs_strip_t *strip, double address, double size, uint32_t *from,
                    uint32_t *to)
{
    const double end = address + size;
    const double low = address > strip->low ? address - strip->low : 0;
    const double high = (end < strip->high ? end : strip->high) - strip->low;
    const uint32_t below = (uint32_t)(low * strip->down);
    const double tall = high * strip->down - 0.5;
    const uint32_t whole = tall > 0 ? (uint32_t)tall : 0;
    uint32_t above = tall > whole ? whole + 1 : whole; /* rounded */
    above = above > below ? above : below + 1;         /* one row at least */
    const uint32_t rows = strip->bottom - strip->top;
    *to = strip->bottom - (below < rows ? below : rows - 1);
    *from = strip->bottom - (above < rows ? above : rows);
}

typedef struct hs_canvas {
    double left, across; /* event at the left end, columns an event */
    uint32_t width, height;
    uint32_t before; /* blocks that ended at this event or earlier are not seen */
    const hs_strip_t *strips;
    uint16_t *owners;
} hs_canvas_t;

static void draw_block(const hs_canvas_t *canvas, const hs_history_chunk_t *chunk, uint32_t i)
{
    const hs_strip_t *strip = &canvas->strips[chunk->region[i]];
    const double address = chunk->address[i], size = chunk->size[i];
    if (!strip->there || address >= strip->high || address + size <= strip->low) {
        return;
    }
    uint32_t y0, y1;
    rows_of(strip, address, size, &y0, &y1);
    const double begin = (chunk->born[i] - canvas->left) * canvas->across;
    const double end = (chunk->died[i] - canvas->left) * canvas->across;
    const uint32_t x0 = begin > 0 ? (uint32_t)begin : 0;
    uint32_t x1 = end < canvas->width ? (uint32_t)end : canvas->width;
    x1 = x1 > x0 ? x1 : x0 + 1;
    const uint32_t task = chunk->task[i];
    const uint16_t owner = (uint16_t)(task < HS_LAB_HISTORY_TASKS ? task + 1 : UINT16_MAX);
    for (uint32_t x = x0; x < x1 && x < canvas->width; x++) {
        uint16_t *column = canvas->owners + (size_t)x * canvas->height;
        for (uint32_t y = y0; y < y1; y++) {
            column[y] = owner;
        }
    }
}

/* Most blocks of a long trace ended before a narrow window: they are left out by one comparison. */
static void draw_chunk(const hs_canvas_t *canvas, const hs_history_chunk_t *chunk, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        if (chunk->died[i] > canvas->before && chunk->passes[i]) {
            draw_block(canvas, chunk, i);
        }
    }
}

/* A column is contiguous, and births are in order: narrow blocks touch memory that is near. */
void hs_history_draw(const hs_history_t *history, const hs_lab_view_t *view, uint16_t *owners)
{
    const uint32_t height = view->height;
    memset(owners, 0, (size_t)view->width * height * sizeof *owners);
    const double left = events_of(view->left), right = events_of(view->right);
    if (history->failed || right <= left) {
        return;
    }
    hs_strip_t strips[HS_HISTORY_NOWHERE + 1];
    read_strips(view, strips);
    const double across = view->width / (right - left);
    const uint32_t last = hs_history_from(history, right);
    const hs_canvas_t canvas = {left, across, view->width, height, (uint32_t)left, strips, owners};
    for (uint32_t from = 0; from < last; from += HS_HISTORY_CHUNK) {
        const uint32_t count = last - from < HS_HISTORY_CHUNK ? last - from : HS_HISTORY_CHUNK;
        draw_chunk(&canvas, history->chunks[from / HS_HISTORY_CHUNK], count);
    }
}

void hs_history_fails(const hs_history_t *history, const hs_lab_view_t *view, uint32_t *counts)
{
    const double left = events_of(view->left), right = events_of(view->right);
    memset(counts, 0, view->width * sizeof *counts);
    for (size_t i = 0; i < hs_history_failed(history); i++) {
        const hs_history_failure_t *failure = hs_history_failure(history, i);
        if (failure->passes && failure->event >= left && failure->event < right) {
            const double x = (failure->event - left) / (right - left) * view->width;
            counts[x < view->width - 1 ? (uint32_t)x : view->width - 1]++;
        }
    }
}

/* ---- live bytes --------------------------------------------------------------------------------- */

/* Bytes of a block, 0 where it does not pass. */
static uint32_t weight(const hs_history_t *history, uint32_t block)
{
    const hs_history_chunk_t *chunk = history->chunks[block / HS_HISTORY_CHUNK];
    const uint32_t i = block % HS_HISTORY_CHUNK;
    return chunk->passes[i] ? chunk->size[i] : 0;
}

static uint32_t birth(const hs_history_t *history, uint32_t number)
{
    return number == history->blocks
               ? HS_HISTORY_LIVE
               : history->chunks[number / HS_HISTORY_CHUNK]->born[number % HS_HISTORY_CHUNK];
}

static uint32_t end_of(const hs_history_t *history, uint32_t number, uint32_t *block)
{
    if (number == history->ends) {
        return HS_HISTORY_LIVE;
    }
    *block = history->chunks[number / HS_HISTORY_CHUNK]->ended[number % HS_HISTORY_CHUNK];
    return history->chunks[*block / HS_HISTORY_CHUNK]->died[*block % HS_HISTORY_CHUNK];
}

/* `bytes` were live after the events `from` to before `to`. */
static void lift(const hs_lab_view_t *view, uint32_t from, uint32_t to, uint64_t bytes,
                 uint64_t *most)
{
    const double left = events_of(view->left), right = events_of(view->right);
    const double across = view->width / (right - left);
    const double begin = (from - left) * across, end = (to - left) * across;
    const double last = (to - 1.0 - left) * across;
    const uint32_t x0 = begin > 0 ? (uint32_t)begin : 0;
    uint32_t x1 = end > 0 ? (uint32_t)end : 0;
    const uint32_t least = (last > 0 ? (uint32_t)last : 0) + 1;
    x1 = x1 > least ? x1 : least;
    for (uint32_t x = x0; x < x1 && x < view->width; x++) {
        most[x] = most[x] > bytes ? most[x] : bytes;
    }
}

void hs_history_most(const hs_history_t *history, const hs_lab_view_t *view, uint64_t *bytes)
{
    memset(bytes, 0, view->width * sizeof *bytes);
    const double left = events_of(view->left), right = events_of(view->right);
    const double whole = right < history->events ? right : history->events;
    const uint32_t stop = (uint32_t)whole + ((uint32_t)whole < whole);
    if (right <= left) {
        return;
    }
    const double wide = (right - left) / view->width; /* events a column */
    uint32_t column = 0, inner_from = UINT32_MAX, inner_to = 0;
    uint64_t live = 0;
    uint32_t begun = 0, ended = 0, block = 0, from = 0;
    uint32_t next_birth = birth(history, 0), next_end = end_of(history, 0, &block);
    for (;;) {
        const uint32_t event = next_birth < next_end ? next_birth : next_end;
        const uint32_t to = event < stop ? event : stop;
        if (from >= inner_from && to <= inner_to) { /* within one column, as nearly always */
            bytes[column] = bytes[column] > live ? bytes[column] : live;
        } else if (to > from && to > left) {
            lift(view, from > left ? from : (uint32_t)left, to, live, bytes);
            column = to > left ? (uint32_t)((to - left) / wide) : 0;
            column = column < view->width ? column : view->width - 1;
            inner_from = (uint32_t)(left + column * wide) + 2;
            inner_to = (uint32_t)(left + (column + 1) * wide);
        }
        if (event >= stop) {
            return;
        }
        for (; next_end == event; next_end = end_of(history, ++ended, &block)) {
            live -= weight(history, block);
        }
        for (; next_birth == event; next_birth = birth(history, ++begun)) {
            live += weight(history, begun);
        }
        from = event;
    }
}
