#include "table.h"

#include <string.h>

#include "form.h"
#include "letters.h"
#include "measure.h"
#include "moment.h"
#include "number.h"
#include "words.h"

enum { PLAIN, DEVICE, ADDRESS, NAME, VALUE, TIME };

typedef struct hs_log_cell {
    size_t at, length;
} hs_log_cell_t;

/* The separator of a line in cells; 0: it has none. */
static char separator_of(const char *text)
{
    return strchr(text, '|') != NULL || strstr(text, "\xE2\x94\x82") != NULL ? '|'
           : strchr(text, ';') != NULL                                       ? ';'
           : strchr(text, ',') != NULL                                       ? ','
                                                                             : 0;
}

/* Bytes of a separator at `text`: '|' is also a line of a box; 0: none. */
static size_t separates(const char *text, char separator)
{
    return text[0] == separator                                        ? 1
           : separator == '|' && strncmp(text, "\xE2\x94\x82", 3) == 0 ? 3
                                                                       : 0;
}

/* The cells of a line without those that are empty at its ends; at most HS_LOG_COLUMNS + 1. */
static size_t cells_of(const char *text, size_t length, char separator, hs_log_cell_t *cells)
{
    size_t count = 0, at = strspn(text, " ");
    at += separator == '|' ? separates(text + at, separator) : 0;
    while (at <= length && count <= HS_LOG_COLUMNS) {
        at += strspn(text + at, " \"");
        hs_log_cell_t cell = {at, 0};
        while (at < length && separates(text + at, separator) == 0) {
            at++;
        }
        cell.length = at - cell.at;
        while (cell.length > 0 && strchr(" \"", text[cell.at + cell.length - 1]) != NULL) {
            cell.length--;
        }
        const size_t more = at < length ? separates(text + at, separator) : 1;
        at += more;
        if (!(separator == '|' && at >= length && cell.length == 0)) {
            cells[count++] = cell;
        }
    }
    return count;
}

static bool is_word(const char *text, const hs_log_cell_t *cell, const char *const *words)
{
    for (; *words != NULL; words++) {
        if (strlen(*words) == cell->length && strncmp(text + cell->at, *words, cell->length) == 0) {
            return true;
        }
    }
    return false;
}

/* The column that a cell of a heading names. */
static hs_log_column_t column_of(const hs_log_table_t *table, const char *text,
                                 const hs_log_cell_t *cell)
{
    static const char *const devices[] = {"device", "host", "node", "mac", "id", NULL};
    static const char *const addresses[] = {"region", "address", "start", NULL};
    static const char *const names[] = {"entity_id", "metric", "name", "sensor", "key", NULL};
    static const char *const values[] = {"state", "value", NULL};
    hs_log_column_t column = {0, HS_LOG_MEMORY_ANY, PLAIN, 1};
    uint32_t means = 0;
    for (size_t at = cell->at; at < cell->at + cell->length;) {
        size_t end = at;
        while (end < cell->at + cell->length && hs_log_word_byte(text[end]) && text[end] != '_') {
            end++;
        }
        hs_log_word_t word = hs_log_word_find(text + at, end - at);
        const hs_log_own_word_t *own = hs_log_own_find(table->own, text, at);
        if (own != NULL) {
            word = (hs_log_word_t){own->means, own->memory};
            end = at + own->length;
            column.unit = own->unit != 0 ? own->unit : column.unit;
        }
        means |= word.means;
        column.memory = word.means & HS_WORD_MEMORY ? word.memory : column.memory;
        if ((end - at == 2 || end - at == 3) && (text[at] | 0x20) == 'k') {
            column.unit = 1024; /* "KB", "KiB" */
        }
        at = end + 1;
    }
    column.field = hs_log_measure(means, true);
    column.what = is_word(text, cell, devices)     ? DEVICE
                  : is_word(text, cell, addresses) ? ADDRESS
                  : is_word(text, cell, names)     ? NAME
                  : is_word(text, cell, values)    ? VALUE
                  : column.field == 0 && hs_log_moment_unit(text + cell->at, cell->length) != 0
                      ? TIME
                      : PLAIN;
    column.unit = column.what == TIME ? (uint32_t)hs_log_moment_unit(text + cell->at, cell->length)
                                      : column.unit;
    return column;
}

/* A call, "gc.mem_free()", names no column. */
static bool is_call(const char *text, const hs_log_cell_t *cell)
{
    return cell->length > 2 && strncmp(text + cell->at + cell->length - 2, "()", 2) == 0;
}

/* Opens a table if the line is the heading of one: names of columns, some of which are figures. */
static bool open_table(hs_log_table_t *table, const char *text, size_t length)
{
    hs_log_cell_t cells[HS_LOG_COLUMNS + 1];
    table->count = 0;
    table->separator = separator_of(text);
    const size_t count = table->separator ? cells_of(text, length, table->separator, cells) : 0;
    if (count < 2 || count > HS_LOG_COLUMNS) {
        return false;
    }
    uint32_t told = 0, what = 0;
    for (size_t i = 0; i < count; i++) {
        const size_t digits = strspn(text + cells[i].at, "0123456789");
        if (cells[i].length == 0 || cells[i].length > 32 ||
            (digits > 0 && !hs_log_word_byte(text[cells[i].at + digits])) ||
            memchr(text + cells[i].at, ':', cells[i].length) != NULL || is_call(text, &cells[i]) ||
            memchr(text + cells[i].at, '=', cells[i].length) != NULL) {
            return false;
        }
        for (size_t at = 0; at < cells[i].length; at++) {
            if (at > 0 && hs_log_is_digit(text[cells[i].at + at]) &&
                text[cells[i].at + at - 1] == ' ') {
                return false;
            }
        }
        table->column[i] = column_of(table, text, &cells[i]);
        told |= table->column[i].field;
        what |= 1u << table->column[i].what;
    }
    const bool named = what & (1u << NAME) && what & (1u << VALUE);
    if ((told & (HS_LOG_HAS_FREE | HS_LOG_HAS_LARGEST | HS_LOG_HAS_MIN)) == 0 && !named) {
        return false;
    }
    table->count = count;
    return true;
}

static bool cell_number(const char *text, const hs_log_cell_t *cell, hs_log_number_t *number)
{
    if (cell->length == 0 || !hs_log_is_digit(text[cell->at])) {
        return false;
    }
    *number = hs_log_number_read(text, cell->at);
    return !number->is_word && number->end <= cell->at + cell->length + 1;
}

/* The number of a row that names its figure in another column. */
static void named_read(const hs_log_table_t *table, const char *text, const hs_log_cell_t *cells,
                       hs_lab_log_fact_t *fact)
{
    hs_log_column_t column = {0};
    hs_log_number_t number;
    for (size_t i = 0; i < table->count; i++) {
        if (table->column[i].what == NAME) {
            column = column_of(table, text, &cells[i]);
        }
    }
    for (size_t i = 0; i < table->count && column.field != 0; i++) {
        if (table->column[i].what == VALUE && cell_number(text, &cells[i], &number)) {
            *hs_log_field(fact, column.field) = number.value;
            fact->has = column.field;
            fact->memory = column.memory;
            fact->unit = number.unit;
        }
    }
}

/* Sixteen's digits behind 0x. */
static int64_t address_read(const char *text)
{
    int64_t value = 0;
    for (size_t at = 2; at < 10; at++) {
        const char byte = (char)(text[at] | 0x20);
        const int digit = hs_log_is_digit(text[at])    ? text[at] - '0'
                          : byte >= 'a' && byte <= 'f' ? byte - 'a' + 10
                                                       : -1;
        if (digit < 0) {
            break;
        }
        value = value * 16 + digit;
    }
    return value;
}

/* The memory that a row names in its first cell; HS_LOG_MEMORY_ANY: none. */
static uint8_t memory_of(const char *text, const hs_log_cell_t *cell)
{
    uint8_t memory = HS_LOG_MEMORY_ANY;
    for (size_t at = cell->at; at < cell->at + cell->length;) {
        size_t end = at;
        while (end < cell->at + cell->length && hs_log_word_byte(text[end]) && text[end] != '_') {
            end++;
        }
        const hs_log_word_t word = hs_log_word_find(text + at, end - at);
        memory = word.means & HS_WORD_MEMORY ? word.memory : memory;
        at = end + 1;
    }
    return memory;
}

static size_t row_read(const hs_log_table_t *table, const char *text, const hs_log_cell_t *cells,
                       hs_lab_log_fact_t *facts, size_t capacity)
{
    size_t count = 0;
    hs_lab_log_fact_t named;
    hs_log_fact_clear(&named);
    named.kind = HS_LOG_FIGURES;
    named_read(table, text, cells, &named);
    if (named.has != 0) {
        facts[0] = named;
        return 1;
    }
    const uint8_t of_row = memory_of(text, &cells[0]);
    for (size_t i = 0; i < table->count; i++) {
        const hs_log_column_t *column = &table->column[i];
        const uint8_t memory = column->memory == HS_LOG_MEMORY_ANY ? of_row : column->memory;
        hs_log_number_t number;
        const bool figure = column->field != 0 && cell_number(text, &cells[i], &number);
        size_t at = 0;
        while (figure && at < count && facts[at].memory != memory) {
            at++;
        }
        if (!figure || at == capacity) {
            continue;
        }
        if (at == count) {
            hs_log_fact_clear(&facts[count]);
            facts[count].kind = HS_LOG_FIGURES;
            facts[count++].memory = memory;
        }
        const uint32_t unit = number.has_unit ? 1 : column->unit;
        *hs_log_field(&facts[at], column->field) = number.value * unit;
        facts[at].has |= column->field;
        facts[at].unit = number.has_unit ? number.unit : column->unit;
    }
    for (size_t i = 0; i < table->count && count > 0; i++) {
        const hs_log_cell_t *cell = &cells[i];
        if (table->column[i].what == TIME) {
            const int64_t time = hs_log_moment_cell(text + cell->at, table->column[i].unit);
            for (size_t at = 0; at < count; at++) {
                facts[at].time = time > 0 ? time : 0;
            }
        } else if (table->column[i].what == DEVICE) {
            hs_log_copy(facts[0].name, sizeof facts[0].name, text + cell->at, cell->length);
        } else if (table->column[i].what == ADDRESS && strncmp(text + cell->at, "0x", 2) == 0 &&
                   facts[0].has & HS_LOG_HAS_TOTAL) {
            facts[0].kind = HS_LOG_REGION;
            facts[0].address = address_read(text + cell->at);
            facts[0].size = facts[0].total;
            hs_log_copy(facts[0].text, sizeof facts[0].text, "table", 5);
            facts[0].has |= HS_LOG_HAS_ADDRESS | HS_LOG_HAS_SIZE;
        }
    }
    return count;
}

/* Whether it is a row, maybe one of "unavailable", in a table that names its figures in a column,
 * and does not begin another table. */
static bool is_row_of_names(const hs_log_table_t *table, const char *text,
                            const hs_log_cell_t *cells)
{
    bool names = false, values = false;
    for (size_t i = 0; i < table->count; i++) {
        names |= table->column[i].what == NAME;
        values |= table->column[i].what == VALUE && column_of(table, text, &cells[i]).what != VALUE;
    }
    return names && values;
}

bool hs_log_table_read(hs_log_table_t *table, const char *text, size_t length, uint64_t line,
                       hs_lab_log_fact_t *facts, size_t capacity, size_t *count)
{
    hs_log_cell_t cells[HS_LOG_COLUMNS + 1];
    *count = 0;
    if (table->count != 0 && strspn(text, "|+-=: ") == length) {
        table->line = line; /* a ruled line */
        return true;
    }
    if (table->count != 0 && strncmp(text, "\xE2\x94", 2) == 0 &&
        strpbrk(text, "0123456789") == NULL) {
        table->line = line;
        return true;
    }
    const char separator = separator_of(text);
    if (table->count != 0 && separator == table->separator) {
        if (cells_of(text, length, separator, cells) == table->count) {
            *count = row_read(table, text, cells, facts, capacity);
            table->line = line;
            if (*count != 0 || is_row_of_names(table, text, cells)) {
                return true;
            }
        } else if (line == table->line + 1) {
            hs_log_fact_clear(&facts[0]);
            facts[0].kind = HS_LOG_UNREAD; /* its columns are shifted */
            hs_log_copy(facts[0].text, sizeof facts[0].text, "other columns than the heading", 30);
            *count = 1;
            table->line = line;
            return true;
        }
    }
    if (separator != 0 && open_table(table, text, length)) {
        table->line = line;
        return true;
    }
    return false;
}
