/* Pictures of a history: blocks by time and address, and failed requests. */
#include <stdlib.h>
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
    const hs_history_t *history;
    double left, right, across; /* events at the ends, columns an event */
    uint32_t width, height;
    uint32_t before; /* blocks that ended at this event or earlier are not seen */
    const hs_strip_t *strips;
    uint16_t *owners;
    uint64_t *live; /* changes of the live bytes, by column */
    uint32_t
        *next; /* of a pixel with an owner: where to look for the next one of its row without */
} hs_canvas_t;

static uint32_t column_of(const hs_canvas_t *canvas, uint32_t event)
{
    const double column = (event - canvas->left) * canvas->across;
    const bool within = event < canvas->right && column < canvas->width;
    return column <= 0 ? 0 : within ? (uint32_t)column : canvas->width;
}

/* The first column at x or later whose pixel in the row has no owner. Those on the way learn it. */
static uint32_t first_free(const hs_canvas_t *canvas, uint32_t x, uint32_t y)
{
    const size_t height = canvas->height;
    uint32_t match = x;
    while (match < canvas->width && canvas->owners[match * height + y] != 0) {
        match = canvas->next[match * height + y];
    }
    while (x < match) {
        const uint32_t next = canvas->next[x * height + y];
        canvas->next[x * height + y] = match;
        x = next;
    }
    return match;
}

/* The block in the columns from x0, or in this one alone, to before x1, at the end of which it is not live.
 * Later blocks were drawn before, so a pixel keeps its owner. */
static void draw_block(const hs_canvas_t *canvas, const hs_history_chunk_t *chunk, uint32_t i,
                       uint32_t x0, uint32_t x1)
{
    const hs_strip_t *strip = &canvas->strips[chunk->region[i]];
    const double address = chunk->address[i], size = chunk->size[i];
    if (x1 > x0) {
        canvas->live[x0] += chunk->size[i];
        if (x1 < canvas->width) {
            canvas->live[x1] -= chunk->size[i];
        }
    }
    if (!strip->there || address >= strip->high || address + size <= strip->low) {
        return;
    }
    uint32_t y0, y1;
    rows_of(strip, address, size, &y0, &y1);
    const uint16_t owner = hs_history_holder_at(canvas->history, chunk->holder[i])->owner;
    x1 = x1 > x0 ? x1 : x0 + 1;
    x1 = x1 < canvas->width ? x1 : canvas->width;
    for (uint32_t y = y0; y < y1; y++) {
        for (uint32_t x = first_free(canvas, x0, y); x < x1; x = first_free(canvas, x + 1, y)) {
            canvas->owners[(size_t)x * canvas->height + y] = owner;
            canvas->next[(size_t)x * canvas->height + y] = x + 1;
        }
    }
}

static bool is_seen(const hs_canvas_t *canvas, const hs_history_chunk_t *chunk, uint32_t i)
{
    return chunk->died[i] > canvas->before && hs_history_passes(canvas->history, chunk, i);
}

/* Blocks `from` to before `to`, in any columns. */
static void draw_all(const hs_canvas_t *canvas, const hs_history_chunk_t *chunk, uint32_t from,
                     uint32_t to)
{
    for (uint32_t i = to; i-- > from;) {
        if (is_seen(canvas, chunk, i)) {
            draw_block(canvas, chunk, i, column_of(canvas, chunk->born[i]),
                       column_of(canvas, chunk->died[i]));
        }
    }
}

/* A group whose blocks were all born in one column: those that a later one hides there are left out. */
static void draw_column(const hs_canvas_t *canvas, const hs_history_chunk_t *chunk, uint32_t from,
                        uint32_t column)
{
    const uint32_t until = chunk->born[from + HS_HISTORY_GROUP - 1];
    for (uint32_t word = (from + HS_HISTORY_GROUP) / 64; word-- > from / 64;) {
        uint64_t bits = chunk->shown[word];
        while (bits != 0) {
            const uint32_t bit = hs_history_highest(bits), i = word * 64 + bit;
            bits ^= UINT64_C(1) << bit;
            if (is_seen(canvas, chunk, i)) {
                const bool over = chunk->died[i] <= until;
                draw_block(canvas, chunk, i, column, over ? 0 : column_of(canvas, chunk->died[i]));
            }
        }
    }
}

static void draw_group(const hs_canvas_t *canvas, uint32_t from, uint32_t to)
{
    const hs_history_chunk_t *chunk = canvas->history->chunks[from / HS_HISTORY_CHUNK];
    const uint32_t first = from % HS_HISTORY_CHUNK, count = to - from;
    const uint32_t column = column_of(canvas, chunk->born[first]);
    if (count == HS_HISTORY_GROUP &&
        column == column_of(canvas, chunk->born[first + HS_HISTORY_GROUP - 1])) {
        draw_column(canvas, chunk, first, column);
    } else {
        draw_all(canvas, chunk, first, first + count);
    }
}

/* Bytes in place of changes, as far as there were events. */
static void add_up(const hs_canvas_t *canvas)
{
    const uint32_t events = canvas->history->events;
    const uint32_t last = column_of(canvas, events - 1u), end = column_of(canvas, events);
    uint64_t live = 0;
    for (uint32_t x = 0; x < canvas->width; x++) {
        live += canvas->live[x];
        canvas->live[x] = events > canvas->left && (x <= last || x < end) ? live : 0;
    }
}

/* The last block first: a pixel is written once, however many blocks are below. A column is contiguous,
 * and births are in order: narrow blocks touch memory that is near. */
hs_status_t hs_history_draw(const hs_history_t *history, const hs_lab_view_t *view,
                            uint16_t *owners, uint64_t *live)
{
    const size_t pixels = (size_t)view->width * view->height;
    memset(owners, 0, pixels * sizeof *owners);
    memset(live, 0, view->width * sizeof *live);
    const double left = events_of(view->left), right = events_of(view->right);
    if (history->sieve.filter.failed || right <= left) {
        return HS_OK;
    }
    uint32_t *next = malloc(pixels * sizeof *next);
    if (next == NULL) {
        return HS_ERR_MEMORY;
    }
    hs_strip_t strips[HS_HISTORY_NOWHERE + 1];
    read_strips(view, strips);
    const uint32_t before = hs_history_unseen(history, (uint32_t)left);
    const hs_canvas_t canvas = {.history = history,
                                .left = left,
                                .right = right,
                                .across = view->width / (right - left),
                                .width = view->width,
                                .height = view->height,
                                .before = before,
                                .strips = strips,
                                .owners = owners,
                                .live = live,
                                .next = next};
    uint32_t last = hs_history_seek_back(history, hs_history_from(history, right), before);
    while (last != UINT32_MAX) {
        const uint32_t from = last / HS_HISTORY_GROUP * HS_HISTORY_GROUP;
        draw_group(&canvas, from, last + 1);
        last = hs_history_seek_back(history, from, before);
    }
    free(next);
    add_up(&canvas);
    return HS_OK;
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
