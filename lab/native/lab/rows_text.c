/* Rows of plain structs as text: each cell a fixed text and then a number, or a name by number. */
#include <string.h>

#include "lab/lab.h"

#define DIGITS_MAX 20u /* of 2^64 - 1 */

static uint64_t value_of(const uint8_t *row, const hs_lab_cell_t *cell)
{
    uint8_t one;
    uint16_t two;
    uint32_t four;
    uint64_t eight;
    switch (cell->width) {
    case 1:
        memcpy(&one, row + cell->offset, sizeof one);
        return one;
    case 2:
        memcpy(&two, row + cell->offset, sizeof two);
        return two;
    case 4:
        memcpy(&four, row + cell->offset, sizeof four);
        return four;
    default:
        memcpy(&eight, row + cell->offset, sizeof eight);
        return eight;
    }
}

static size_t put_number(uint8_t *out, uint64_t value)
{
    uint8_t digits[DIGITS_MAX];
    size_t used = 0;
    do {
        digits[used++] = (uint8_t)('0' + value % 10);
        value /= 10;
    } while (value != 0);
    for (size_t i = 0; i < used; i++) {
        out[i] = digits[used - 1 - i];
    }
    return used;
}

/* The text of a value, or NULL: it is written as a number. */
static const uint8_t *text_of(const hs_lab_cell_t *cell, uint64_t value, size_t *size)
{
    if (cell->has_none && value == cell->none) {
        *size = cell->none_size;
        return cell->none_text;
    }
    if (value < cell->names) {
        const uint64_t begin = value == 0 ? 0 : cell->name_ends[value - 1];
        *size = (size_t)(cell->name_ends[value] - begin);
        return cell->name_text + begin;
    }
    *size = DIGITS_MAX;
    return NULL;
}

/* 0: it does not fit. */
static size_t put_row(const hs_lab_cell_t *cells, size_t cell_count, const uint8_t *row,
                      uint8_t *out, size_t capacity)
{
    size_t used = 0;
    for (size_t i = 0; i < cell_count; i++) {
        const hs_lab_cell_t *cell = &cells[i];
        size_t size = 0;
        const uint64_t value = cell->width == 0 ? 0 : value_of(row, cell);
        const uint8_t *text = cell->width == 0 ? cell->before : text_of(cell, value, &size);
        if (cell->before_size + size > capacity - used) {
            return 0;
        }
        memcpy(out + used, cell->before, cell->before_size);
        used += cell->before_size;
        if (text == NULL) {
            used += put_number(out + used, value);
        } else if (size != 0) {
            memcpy(out + used, text, size);
            used += size;
        }
    }
    return used;
}

size_t hs_lab_rows_text(const hs_lab_cell_t *cells, size_t cell_count, const uint8_t *rows,
                        size_t row_size, size_t row_count, uint8_t *out, size_t capacity,
                        size_t *written)
{
    size_t done = 0;
    *written = 0;
    while (done < row_count) {
        const size_t used =
            put_row(cells, cell_count, rows + done * row_size, out + *written, capacity - *written);
        if (used == 0) {
            break;
        }
        *written += used;
        done++;
    }
    return done;
}
