/* The rows that a report is drawn from. */
#include <string.h>

#include "lab/reader.h"

/* Copies up to `capacity` of `count` rows. */
static size_t copy_rows(void *out, size_t capacity, const void *rows, size_t count, size_t size)
{
    const size_t copied = count < capacity ? count : capacity;
    if (copied != 0) {
        memcpy(out, rows, copied * size);
    }
    return count;
}

int hs_lab_reader_survey(hs_lab_reader_t *reader, uint32_t columns)
{
    return (int)hs_replay_survey(&reader->replay, columns);
}

int hs_lab_reader_draw(hs_lab_reader_t *reader, const uint64_t *events, size_t columns,
                       const uint32_t *rows, uint64_t peak)
{
    return (int)hs_replay_draw(&reader->replay, events, columns, rows, peak);
}

size_t hs_lab_columns(const hs_lab_reader_t *reader, hs_lab_column_row_t *rows, size_t capacity)
{
    const hs_columns_t *columns = &reader->replay.survey.columns;
    return copy_rows(rows, capacity, columns->rows, columns->used, sizeof *rows);
}

size_t hs_lab_closest(const hs_lab_reader_t *reader, hs_lab_closest_row_t *rows, size_t capacity)
{
    const hs_columns_t *columns = &reader->replay.survey.columns;
    return copy_rows(rows, capacity, columns->closest, columns->kinds, sizeof *rows);
}

void hs_lab_picture(const hs_lab_reader_t *reader, hs_lab_picture_t *out)
{
    const hs_picture_t *picture = &reader->replay.survey.picture;
    const uint32_t tasks = reader->replay.measure.owners.tasks;
    memset(out, 0, sizeof *out);
    out->columns = picture->taken;
    out->rows = picture->rows;
    out->blocks = picture->block_count;
    out->tasks = tasks < HS_LAB_PICTURE_TASKS ? tasks : HS_LAB_PICTURE_TASKS;
}

void hs_lab_picture_cells(const hs_lab_reader_t *reader, uint8_t *owner, uint8_t *used,
                          uint8_t *size, uint8_t *age, uint32_t *block)
{
    const hs_picture_t *picture = &reader->replay.survey.picture;
    const size_t cells = picture->taken * picture->rows;
    copy_rows(owner, cells, picture->owner, cells, 1);
    copy_rows(used, cells, picture->used, cells, 1);
    copy_rows(size, cells, picture->size, cells, 1);
    copy_rows(age, cells, picture->age, cells, 1);
    copy_rows(block, cells, picture->block, cells, sizeof *block);
}

size_t hs_lab_picture_moments(const hs_lab_reader_t *reader, hs_lab_picture_moment_t *rows,
                              size_t capacity)
{
    const hs_picture_t *picture = &reader->replay.survey.picture;
    return copy_rows(rows, capacity, picture->moments, picture->taken, sizeof *rows);
}

void hs_lab_picture_payload(const hs_lab_reader_t *reader, uint32_t *bytes)
{
    const hs_picture_t *picture = &reader->replay.survey.picture;
    hs_lab_picture_t head;
    hs_lab_picture(reader, &head);
    for (size_t column = 0; column < picture->taken; column++) {
        copy_rows(&bytes[column * head.tasks], head.tasks,
                  &picture->tasks[column * HS_LAB_PICTURE_TASKS], head.tasks, sizeof *bytes);
    }
}

uint32_t hs_lab_picture_task(const hs_lab_reader_t *reader, uint32_t position)
{
    const hs_ledger_t *owners = &reader->replay.measure.owners;
    return position < owners->tasks ? hs_ledger_task(owners, position) : UINT32_MAX;
}

size_t hs_lab_picture_blocks(const hs_lab_reader_t *reader, hs_lab_block_row_t *rows,
                             size_t capacity)
{
    const hs_picture_t *picture = &reader->replay.survey.picture;
    return copy_rows(rows, capacity, picture->blocks, picture->block_count, sizeof *rows);
}

size_t hs_lab_sites(const hs_lab_reader_t *reader, hs_lab_holding_row_t *rows, size_t capacity)
{
    return hs_holdings_sites(&reader->replay.survey.holdings, rows, capacity);
}

size_t hs_lab_size_classes(const hs_lab_reader_t *reader, hs_lab_holding_row_t *rows,
                           size_t capacity)
{
    return hs_holdings_classes(&reader->replay.survey.holdings, rows, capacity);
}
