/* Tables of pools and of stacks: a head names the columns, and each line below has them. */
#include <string.h>

#include "form.h"
#include "letters.h"
#include "measure.h"
#include "number.h"
#include "pool_keys.h"
#include "pools.h"

#define UNKNOWN_MAX 2u     /* columns of a table that mean nothing here */
#define CELLS_MAX 40u      /* of a line */
#define TASK_NAME_MOST 31u /* bytes; configMAX_TASK_NAME_LEN is 16 as a rule */
#define PRIORITY_MOST 63
#define PLACES (HS_POOL_DRAM | HS_POOL_IRAM)
#define FIGURES                                                                                    \
    (HS_LOG_HAS_FREE | HS_LOG_HAS_TOTAL | HS_LOG_HAS_USED | HS_LOG_HAS_PEAK | HS_LOG_HAS_MIN)

typedef struct hs_log_cell {
    size_t at, end;
} hs_log_cell_t;

/* Cells between lines, which may hold several words; or words. */
static size_t split(const char *text, size_t length, char between, hs_log_cell_t *cells)
{
    size_t count = 0;
    for (size_t at = 0; at < length && count < CELLS_MAX;) {
        at += strspn(text + at, " ");
        size_t stop = at;
        while (stop < length && text[stop] != between) {
            stop++;
        }
        size_t end = stop;
        while (end > at && text[end - 1] == ' ') {
            end--;
        }
        if (end > at) {
            cells[count++] = (hs_log_cell_t){at, end};
        } else if (count != 0 && between == '|') {
            break; /* "||" ends the row */
        }
        at = stop + (stop < length);
    }
    return count;
}

/* Puts what the columns mean into `column`; returns how many there are. */
static size_t head_columns(const char *text, const hs_log_cell_t *cells, size_t count,
                           uint32_t *column, uint32_t *all, size_t *unknown)
{
    size_t columns = 0;
    for (size_t i = 0; i < count && columns < HS_POOL_COLUMNS; i++) {
        size_t at = cells[i].at, end = cells[i].end;
        uint32_t means = 0;
        for (size_t words = 2; words > 0 && means == 0; words--) { /* "Task Name" is one column */
            if (i + words < count) {
                means = hs_log_pool_key(text + at, cells[i + words].end - at);
                i += means != 0 ? words : 0;
            }
        }
        means = means != 0 ? means : hs_log_pool_key(text + at, end - at);
        *unknown += means == 0;
        *all |= means;
        column[columns++] = means != 0 ? means : HS_POOL_SKIP;
    }
    return columns;
}

bool hs_log_pool_columns(hs_log_pools_t *pools, const char *text, size_t length)
{
    if (length < 12 || strpbrk(text, "0123456789") != NULL) {
        return false;
    }
    hs_log_cell_t cells[CELLS_MAX];
    uint32_t column[HS_POOL_COLUMNS], all = 0;
    size_t unknown = 0;
    const bool has_cells = strchr(text, '|') != NULL;
    const size_t count = split(text, length, has_cells ? '|' : ' ', cells);
    const size_t columns = count < 2 ? 0 : head_columns(text, cells, count, column, &all, &unknown);
    size_t figures = 0;
    for (size_t i = 0; i < columns; i++) {
        figures += (column[i] & FIGURES) != 0;
    }
    const bool places = (all & PLACES) != 0;
    const bool named = (all & HS_POOL_NAME) != 0;
    const bool stacks = (all & HS_POOL_STACK) != 0 && (all & HS_POOL_SKIP) != 0;
    const bool is_table = places ? columns > 1 && unknown == 0
                                 : named && columns > 2 && unknown <= UNKNOWN_MAX &&
                                       (stacks || figures > 1 || (pools->is_open && figures == 1));
    if (!is_table) {
        return false;
    }
    if (!pools->is_open || stacks || places) {
        hs_log_copy(pools->text, sizeof pools->text, stacks ? "FreeRTOS/stack" : "/",
                    stacks ? 14 : 1);
    }
    pools->is_open = true;
    pools->is_heap = pools->has_commas = false;
    pools->has_cells = has_cells;
    pools->foreign = 0;
    pools->columns = (uint8_t)columns;
    memcpy(pools->column, column, sizeof column);
    return true;
}

/* Does a letter of a state stand alone? */
static bool has_state(const char *text, size_t length)
{
    for (size_t at = 1; at + 2 < length && at < TASK_NAME_MOST * 2; at++) {
        if (text[at] == ' ' && text[at + 2] == ' ' && strchr("XRBSD", text[at + 1]) != NULL) {
            return true;
        }
    }
    return false;
}

bool hs_log_pool_task(const char *text, size_t length, hs_lab_log_fact_t *fact)
{
    hs_log_cell_t cells[CELLS_MAX];
    if (!has_state(text, length)) {
        return false;
    }
    const size_t count = split(text, length, ' ', cells);
    size_t state = 1;
    while (state + 3 < count && (cells[state].end - cells[state].at != 1 ||
                                 strchr("XRBSD", text[cells[state].at]) == NULL)) {
        state++;
    }
    const size_t numbers = count - state - 1;
    if (state + 3 >= count || numbers < 3 || numbers > 4 || state > 3 || cells[0].at != 0 ||
        cells[state - 1].end > TASK_NAME_MOST) {
        return false;
    }
    int64_t value[4] = {0};
    uint32_t unit;
    for (size_t i = 0; i < numbers; i++) {
        const hs_log_cell_t cell = cells[state + 1 + i];
        const size_t sign = i == 3 && text[cell.at] == '-'; /* no affinity */
        const size_t digits = strspn(text + cell.at + sign, "0123456789");
        if (digits == 0 || cell.at + sign + digits != cell.end ||
            !hs_log_value_read(text, cell.at, cell.end, &value[i], &unit)) {
            return false;
        }
    }
    if (value[0] > PRIORITY_MOST || hs_log_is_digit(text[0])) {
        return false;
    }
    fact->kind = HS_LOG_POOL;
    fact->has = HS_LOG_HAS_FREE;
    fact->free = value[1];
    hs_log_copy(fact->name, sizeof fact->name, text, cells[state - 1].end);
    hs_log_copy(fact->text, sizeof fact->text, "FreeRTOS/stack", 14);
    return true;
}

static int64_t *figure_of(hs_lab_log_fact_t *fact, uint32_t field)
{
    return field == HS_LOG_HAS_COUNT        ? &fact->count
           : field == HS_LOG_HAS_FREE_COUNT ? &fact->free_count
           : field == HS_LOG_HAS_SIZE       ? &fact->size
                                            : hs_log_field(fact, field);
}

/* The figures of "instruments: 248,32768,...", a fact for each pool of XS. */
static size_t instruments(const hs_log_pools_t *pools, const char *text, size_t length,
                          hs_lab_log_fact_t *facts, size_t capacity)
{
    static const char *const names[] = {"", "chunk", "slot", "stack", ""};
    if (strncmp(text, "instruments: ", 13) != 0) {
        return 0;
    }
    size_t at = 13, kept = 0;
    hs_lab_log_fact_t pool[5];
    for (size_t i = 0; i < 5; i++) {
        hs_log_fact_clear(&pool[i]);
    }
    for (size_t column = 0; column < pools->columns && at < length; column++) {
        int64_t value;
        uint32_t unit;
        const size_t size = strcspn(text + at, ",");
        hs_lab_log_fact_t *one = &pool[pools->of[column]];
        if (pools->of[column] != 0 && hs_log_value_read(text, at, at + size, &value, &unit)) {
            *figure_of(one, pools->column[column]) = value;
            one->has |= pools->column[column];
        }
        at += size + 1;
    }
    for (size_t i = 1; i < 5 && kept < capacity; i++) {
        if (pool[i].has != 0) {
            pool[i].kind = i == 4 ? HS_LOG_FIGURES : HS_LOG_POOL;
            hs_log_copy(pool[i].name, sizeof pool[i].name, names[i], strlen(names[i]));
            hs_log_copy(pool[i].text, sizeof pool[i].text, i < 4 ? "XS/B" : "", i < 4 ? 4 : 0);
            facts[kept++] = pool[i];
        }
    }
    return kept;
}

/* "dram0_0_seg: 246896 B 317184 B 77.84%" of a linker. */
static bool region(const char *text, size_t length, hs_lab_log_fact_t *fact)
{
    const size_t start = strspn(text, " "), end = strcspn(text, ":");
    uint32_t unit;
    if (end >= length || end == start || text[length - 1] != '%' ||
        strcspn(text + start, " ") != end - start + 1) {
        return false;
    }
    size_t at = end + 1;
    int64_t *const into[] = {&fact->used, &fact->total};
    for (size_t i = 0; i < 2; i++) {
        at += strspn(text + at, " ");
        const size_t digits = strspn(text + at, "0123456789");
        if (digits == 0 || !hs_log_value_read(text, at, at + digits, into[i], &unit)) {
            return false;
        }
        at += digits;
        at += strspn(text + at, " ");
        at += strspn(text + at, "BKMG");
    }
    fact->kind = HS_LOG_POOL;
    fact->has = HS_LOG_HAS_USED | HS_LOG_HAS_TOTAL;
    hs_log_copy(fact->name, sizeof fact->name, text + start, end - start);
    hs_log_copy(fact->text, sizeof fact->text, "linker/B", 8);
    return true;
}

/* The least free memory of "|| 152976 | 40276 ||", or the most that a task held. */
static size_t place_row(const hs_log_pools_t *pools, const char *text, const hs_log_cell_t *cells,
                        const int64_t *values, hs_lab_log_fact_t *facts, size_t capacity)
{
    size_t kept = 0;
    hs_log_fact_clear(&facts[0]);
    for (size_t i = 0; i < pools->columns && kept < capacity; i++) {
        const bool iram = (pools->column[i] & HS_POOL_IRAM) != 0;
        if ((pools->column[i] & HS_POOL_NAME) != 0) {
            facts[0].kind = HS_LOG_TASK;
            hs_log_copy(facts[0].name, sizeof facts[0].name, text + cells[i].at,
                        cells[i].end - cells[i].at);
        } else if (facts[0].kind == HS_LOG_TASK) {
            *(iram ? &facts[0].size : &facts[0].peak) = values[i];
            facts[0].has |= iram ? HS_LOG_HAS_SIZE : HS_LOG_HAS_PEAK;
        } else {
            hs_log_fact_clear(&facts[kept]);
            facts[kept].kind = HS_LOG_FIGURES;
            facts[kept].memory = iram ? HS_LOG_MEMORY_IRAM : HS_LOG_MEMORY_DRAM;
            facts[kept].min = values[i];
            facts[kept++].has = HS_LOG_HAS_MIN;
        }
    }
    return facts[0].kind == HS_LOG_TASK ? 1 : kept;
}

size_t hs_log_pool_row(const hs_log_pools_t *pools, const char *text, size_t length,
                       hs_lab_log_fact_t *facts, size_t capacity)
{
    hs_log_fact_clear(&facts[0]);
    if (pools->has_commas) {
        return instruments(pools, text, length, facts, capacity);
    }
    if (strcmp(pools->text, "linker/B") == 0) {
        return region(text, length, facts);
    }
    hs_log_cell_t cells[CELLS_MAX];
    size_t count = split(text, length, pools->has_cells ? '|' : ' ', cells);
    if (count < pools->columns || (pools->has_cells && count > pools->columns + 1u)) {
        return 0;
    }
    size_t name = 0;
    while (name < pools->columns && (pools->column[name] & HS_POOL_NAME) == 0) {
        name++;
    }
    const size_t surplus = pools->has_cells ? 0 : count - pools->columns;
    if (surplus != 0 && (name == pools->columns || surplus > 5)) {
        return 0;
    }
    if (surplus != 0) { /* words of the name */
        cells[name].end = cells[name + surplus].end;
        memmove(&cells[name + 1], &cells[name + 1 + surplus],
                (count - name - 1 - surplus) * sizeof cells[0]);
    }
    int64_t values[HS_POOL_COLUMNS] = {0};
    uint32_t unit;
    hs_lab_log_fact_t fact;
    hs_log_fact_clear(&fact);
    for (size_t i = 0; i < pools->columns; i++) {
        const hs_log_cell_t cell = cells[i];
        const uint32_t field = pools->column[i] & (HS_POOL_STACK - 1);
        if (field == 0) {
            continue;
        }
        const size_t digits = strspn(text + cell.at, "0123456789");
        const bool none = digits == 0 && text[cell.at] == '-' && cell.end == cell.at + 1;
        if (!none &&
            (digits == 0 || (cell.at + digits != cell.end && text[cell.at + digits] != '(') ||
             !hs_log_value_read(text, cell.at, cell.at + digits, &values[i], &unit))) {
            return 0;
        }
        if (!none && (pools->column[i] & PLACES) == 0) {
            *figure_of(&fact, field) = values[i];
            fact.has |= field;
        }
    }
    if (((pools->column[0] | pools->column[1]) & PLACES) != 0) {
        return place_row(pools, text, cells, values, facts, capacity);
    }
    if (fact.has == 0 || hs_log_is_digit(text[cells[name].at])) {
        return 0;
    }
    fact.kind = HS_LOG_POOL;
    hs_log_copy(fact.name, sizeof fact.name, text + cells[name].at,
                cells[name].end - cells[name].at);
    hs_log_copy(fact.text, sizeof fact.text, pools->text, strlen(pools->text));
    if (strcmp(fact.name, "Umem") == 0 || strcmp(fact.name, "Kmem") == 0) {
        fact.kind = HS_LOG_NUTTX_FREE; /* the heap itself */
    } else if (strcmp(fact.name, "heap") == 0 && (fact.has & HS_LOG_HAS_COUNT) == 0) {
        fact.kind = HS_LOG_FIGURES; /* of RT-Thread's memheap */
        fact.name[0] = 0;
    }
    facts[0] = fact;
    return 1;
}
