#include "log.h"

#include <string.h>

#include "failures.h"
#include "figures.h"
#include "looks.h"
#include "measure.h"
#include "moment.h"
#include "number.h"
#include "prefix.h"
#include "quote.h"
#include "roots.h"
#include "trace.h"
#include "written.h"

void hs_log_init(hs_log_t *log)
{
    memset(log, 0, sizeof *log);
    hs_log_lines_init(&log->lines);
    hs_log_index_init(&log->index);
    hs_log_pools_init(&log->pools);
    log->scope.own = log->table.own = &log->own;
    log->uptime = -1;
}

static bool has_room(const hs_log_t *log)
{
    return log->first + log->waiting <= HS_LOG_WAITING - HS_LOG_LINE_FACTS;
}

/* Turns the fields as they are printed into those of the fact. */
static void finish_form(hs_lab_log_fact_t *fact, const hs_log_form_t *form, char behind)
{
    if (fact->kind == HS_LOG_RANGE_FREE || fact->kind == HS_LOG_RANGE_RESERVED) {
        fact->size -= fact->address; /* its end is printed */
        fact->flags |= fact->size < 0 ? HS_LOG_CUT : 0;
        fact->size = fact->size < 0 ? 0 : fact->size;
    } else if (fact->kind == HS_LOG_ERROR && (fact->code == 12 || fact->code == 0x101)) {
        fact->flags |= HS_LOG_NO_MEMORY; /* ENOMEM, ESP_ERR_NO_MEM */
    }
    if ((form->flags & HS_LOG_FORM_CUTS) != 0 && strchr(" ,.*)", behind) == NULL) {
        fact->flags |= HS_LOG_CUT; /* another output came into the line */
    }
}

/* Where a word begins, at least for a form: "failedESP-ROM:" has two. */
static bool begins(const char *text, size_t at)
{
    const char before = at == 0 ? ' ' : text[at - 1];
    const bool capital = text[at] >= 'A' && text[at] <= 'Z' && before >= 'a' && before <= 'z';
    return text[at] == '(' ||
           (hs_log_word_byte(text[at]) && (capital || !hs_log_word_byte(before)));
}

/* An error of Python on a PC is written "numpy.MemoryError". */
static bool is_part(const char *text, size_t at)
{
    return at > 0 && (text[at - 1] == '.' || hs_log_word_byte(text[at - 1]));
}

/* "[esp-idf:000]" has no version. */
static bool is_version(const char *name)
{
    return name[strspn(name, "0123456789")] != 0;
}

/* The forms of a line, into fewer than `capacity` facts; returns how many. */
static size_t read_forms(const hs_log_t *log, const hs_log_line_t *line, hs_lab_log_fact_t *facts,
                         size_t capacity)
{
    size_t count = 0;
    hs_log_fact_clear(&facts[0]);
    for (size_t at = 0; at < line->length && count + 1 < capacity;) {
        hs_log_match_t match = {.end = at + 1};
        if (begins(line->text, at)) {
            hs_lab_log_fact_t *fact = &facts[count];
            const hs_log_form_t *form = hs_log_form_find(&log->index, line, at, fact, &match);
            if (form == NULL || (fact->kind == HS_LOG_PYTHON_ERROR && is_part(line->text, at)) ||
                (fact->kind == HS_LOG_IDF && !is_version(fact->name))) {
                match.end = at + 1;
                hs_log_fact_clear(fact);
            } else {
                const size_t more =
                    hs_log_callers_read(line->text, &match.end, fact, capacity - count - 1);
                finish_form(fact, form, line->text[match.end]);
                count += form->kind != HS_LOG_KINDS ? 1 + more : 0; /* or it only looks like one */
                hs_log_fact_clear(&facts[count]);
            }
        }
        at = match.end;
    }
    return count;
}

/* Who wrote a line: a time, a level or a tag before it is a program's. */
static hs_log_writer_t writer_of(const hs_log_line_t *line, const hs_log_prefix_t *prefix)
{
    if (hs_log_by_computer(line->text)) {
        return HS_LOG_BY_PERSON;
    }
    for (size_t at = 0; at < prefix->length; at++) {
        if (hs_log_word_byte(line->text[at])) {
            return HS_LOG_BY_PROGRAM;
        }
    }
    const size_t blanks = strspn(line->text, " ");
    return hs_log_written(line->text + blanks, line->length - blanks);
}

/* Takes away what only looks like a fact where a person wrote the line; returns how many are left. */
static size_t without_persons(hs_log_writer_t writer, hs_lab_log_fact_t *facts, size_t count)
{
    size_t kept = 0;
    for (size_t i = 0; i < count; i++) {
        const uint16_t kind = facts[i].kind;
        const bool vague =
            kind == HS_LOG_ERROR || kind == HS_LOG_TLS_ERROR || kind == HS_LOG_RESTART ||
            kind == HS_LOG_PYTHON_ERROR ||
            (kind == HS_LOG_CORRUPT && strcmp(facts[i].text, "its own check") == 0) ||
            (kind == HS_LOG_FAILED && (facts[i].has & HS_LOG_HAS_SIZE) == 0);
        if (writer == HS_LOG_BY_PROGRAM || (writer == HS_LOG_BY_PERSON && !vague)) {
            facts[kept++] = facts[i];
        }
    }
    hs_log_fact_clear(&facts[kept]);
    return kept;
}

/* The facts of a line in a program's own words, where no form has told what it says of memory; and
 * the roots of words that it has. */
static size_t read_words(hs_log_t *log, const hs_log_line_t *whole, const hs_log_prefix_t *prefix,
                         uint32_t *result, hs_lab_log_fact_t *facts, size_t capacity)
{
    const char *line = whole->text, *text = line + prefix->length;
    const size_t length = whole->length - prefix->length;
    hs_log_fact_clear(&facts[0]);
    const char *row = text;
    while (row > line && row[-1] == ' ') {
        row--; /* columns of a table count from here */
    }
    if (hs_log_context_read(&log->context, row, length + (size_t)(text - row), &facts[0])) {
        return 1;
    }
    const uint32_t roots = hs_log_roots(text);
    *result = roots;
    size_t count = 0;
    if (roots != 0 && writer_of(whole, prefix) != HS_LOG_BY_PROGRAM) {
        return 0;
    }
    if (roots & HS_ROOT_FREE || hs_log_own_any(&log->own, text) || log->scope.depth != 0 ||
        log->scope.headed || strchr(text, '{')) {
        count = hs_log_figures_read(&log->scope, text, length, facts, capacity);
    }
    if (count == capacity) {
        return count;
    }
    hs_lab_log_fact_t *next = &facts[count];
    hs_log_fact_clear(next);
    const bool may_be_code = roots & HS_ROOT_ERROR && (count == 0 || roots & HS_ROOT_TLS);
    const bool is_code = may_be_code && hs_log_code_read(text, length, roots, next) &&
                         (count == 0 || next->flags & HS_LOG_NO_MEMORY);
    if (!is_code) {
        hs_log_fact_clear(next);
    }
    const bool is_failure =
        !is_code && roots & HS_ROOT_ALLOC && hs_log_failure_read(text, length, facts, count, next);
    return count + (is_code || (is_failure && (count == 0 || next->kind == HS_LOG_FAILED)));
}

/* A text of mbedTLS may have its code beside it. */
static void add_code(const char *text, size_t length, hs_lab_log_fact_t *fact)
{
    hs_lab_log_fact_t code;
    hs_log_fact_clear(&code);
    if (fact->kind == HS_LOG_TLS_ERROR && hs_log_code_read(text, length, HS_ROOT_TLS, &code)) {
        fact->code = code.code;
        fact->has = code.has;
        memcpy(fact->text, code.text, sizeof code.text);
        if (code.name[0] != 0) {
            memcpy(fact->name, code.name, sizeof code.name);
        }
    }
}

/* The fact of this memory that does not have the field yet. */
static hs_lab_log_fact_t *pattern_fact(hs_lab_log_fact_t *facts, size_t *count, uint8_t memory,
                                       uint32_t field)
{
    for (size_t i = 0; i < *count && field != 0; i++) {
        if (facts[i].kind == HS_LOG_FIGURES && facts[i].memory == memory &&
            (facts[i].has & field) == 0) {
            return &facts[i];
        }
    }
    hs_lab_log_fact_t *fact = &facts[(*count)++];
    hs_log_fact_clear(fact);
    fact->kind = field != 0 ? HS_LOG_FIGURES : HS_LOG_SAMPLE;
    fact->memory = memory;
    fact->flags = HS_LOG_PATTERN;
    return fact;
}

/* The numbers of the user's patterns; at most one fact for each group. */
static size_t read_patterns(const hs_log_t *log, const hs_log_line_t *line,
                            hs_lab_log_fact_t *facts)
{
    size_t count = 0;
    for (size_t p = 0; p < log->pattern_count; p++) {
        const hs_pattern_t *pattern = &log->patterns[p];
        uint16_t groups[HS_PATTERN_GROUPS][2];
        size_t end;
        if (!hs_pattern_find(pattern, line->text, line->length, groups, &end)) {
            continue;
        }
        for (size_t i = 0; i < pattern->group_count; i++) {
            const char *label = pattern->label[i];
            uint8_t memory;
            uint32_t unit;
            int64_t value;
            if (!hs_log_value_read(line->text, groups[i][0], groups[i][1], &value, &unit)) {
                continue;
            }
            const uint32_t field = hs_log_label_field(label, strlen(label), &memory);
            hs_lab_log_fact_t *fact = pattern_fact(facts, &count, memory, field);
            *(field != 0 ? hs_log_field(fact, field) : &fact->size) = value;
            fact->has |= field != 0 ? field : HS_LOG_HAS_SIZE;
            fact->unit = unit;
            hs_log_copy(fact->name, sizeof fact->name, label, strlen(label));
        }
    }
    return count;
}

hs_pattern_status_t hs_log_pattern_add(hs_log_t *log, const char *text, size_t length, size_t *at)
{
    *at = 0;
    if (log->pattern_count == HS_LOG_PATTERNS) {
        return HS_PATTERN_MANY;
    }
    const hs_pattern_status_t status =
        hs_pattern_compile(&log->patterns[log->pattern_count], text, length, at);
    log->pattern_count += status == HS_PATTERN_OK;
    return status;
}

hs_log_own_status_t hs_log_word_add(hs_log_t *log, const char *word, size_t length,
                                    const char *meaning, size_t meaning_length, size_t *at)
{
    return hs_log_own_add(&log->own, word, length, meaning, meaning_length, at);
}

/* The time since the start of a line that tells one. A clock of 32 bits begins anew after 49 days: the
 * lines before tell it from a start, where they came as far apart. */
static int64_t uptime_of(hs_log_t *log, int64_t printed)
{
    const int64_t round = INT64_C(1) << 32, last = log->uptime;
    int64_t now = printed + log->wrapped;
    if (last >= 0 && now < last) {
        if (last - log->wrapped >= round / 2 && now + round - last <= 2 * log->step) {
            log->wrapped += round;
            now += round;
        } else if (log->wrapped != 0 && printed < last - log->wrapped) {
            now = printed; /* a start that the log does not show */
            log->wrapped = 0;
        }
    }
    log->step = last >= 0 && now - last > log->step ? now - last : log->step;
    return now;
}

/* Do forms tell a failure alone, beside which a program can print what is free? */
static bool tells_code(const hs_lab_log_fact_t *facts, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (facts[i].kind != HS_LOG_TASK_FAILED && facts[i].kind != HS_LOG_ERROR &&
            facts[i].kind != HS_LOG_TLS_ERROR) {
            return false;
        }
    }
    return true;
}

static void read_line(hs_log_t *log, const hs_log_line_t *line)
{
    hs_lab_log_fact_t *facts = &log->facts[log->first + log->waiting];
    hs_log_prefix_t prefix;
    hs_log_prefix_read(line->text, line->length, &prefix);
    const int64_t uptime = prefix.uptime < 0 ? prefix.uptime : uptime_of(log, prefix.uptime);
    log->scope.goes_on &= prefix.uptime < 0 && prefix.clock < 0; /* else an object was cut */
    hs_log_scope_begin(&log->scope, line->number);
    size_t count = read_patterns(log, line, facts);
    bool reported = count != 0;
    const size_t requested = count;
    count += read_forms(log, line, facts + count, HS_LOG_LINE_FACTS - count);
    if (count == requested + 1 && facts[requested].kind == HS_LOG_TOTALS && log->scope.headed &&
        log->scope.heading.memory >= 0) {
        count = requested; /* the totals of the memory that the heading names, and of no summary */
    }
    if (count != requested) {
        count = requested +
                without_persons(writer_of(line, &prefix), facts + requested, count - requested);
    }
    count = requested + hs_log_pools_read(&log->pools, line->number, line->text + prefix.length,
                                          line->length - prefix.length, facts + requested,
                                          count - requested, HS_LOG_LINE_FACTS - count);
    for (size_t i = requested; i < count; i++) {
        add_code(line->text + prefix.length, line->length - prefix.length, &facts[i]);
        reported |= facts[i].kind >= HS_LOG_SUMMARY;
    }
    uint32_t roots = 0;
    if (count > requested && tells_code(facts + requested, count - requested)) {
        count += hs_log_figures_read(&log->scope, line->text + prefix.length,
                                     line->length - prefix.length, facts + count,
                                     HS_LOG_LINE_FACTS - count);
    }
    if (count == 0) {
        reported = hs_log_table_read(&log->table, line->text, line->length, line->number, facts,
                                     HS_LOG_LINE_FACTS, &count);
    }
    if (count == 0 && !reported) {
        count = hs_log_frame_read(line->text, facts, HS_LOG_LINE_FACTS);
        count = count != 0 || strstr(line->text, "Backtrace:") == NULL
                    ? count
                    : hs_log_backtrace_read(line->text, facts, HS_LOG_LINE_FACTS);
        reported = count != 0;
    }
    if (!reported) {
        count += read_words(log, line, &prefix, &roots, facts + count, HS_LOG_LINE_FACTS - count);
    }
    hs_log_scope_end(&log->scope, line->text + prefix.length, line->length - prefix.length,
                     count != 0 && facts[count - 1].kind == HS_LOG_FIGURES);
    if (count == 0 && log->lists_regions && prefix.uptime >= 0) {
        hs_log_fact_clear(&facts[0]);
        facts[count++].kind = HS_LOG_BOOT_END;
    }
    if (count == 0 && roots & (HS_ROOT_FREE | HS_ROOT_ALLOC) &&
        hs_log_looks_like_memory(line->text + prefix.length)) {
        const char *reason = writer_of(line, &prefix) == HS_LOG_BY_PROGRAM
                                 ? "no measure, memory and number that belong together"
                                 : "a sentence or source code";
        hs_log_fact_clear(&facts[0]);
        hs_log_copy(facts[0].text, sizeof facts[0].text, reason, strlen(reason));
        facts[count++].kind = HS_LOG_UNREAD;
    }
    if (count != 0) {
        const uint16_t kind = facts[0].kind;
        log->lists_regions =
            kind == HS_LOG_BOOT_REGION || (log->lists_regions && kind == HS_LOG_NEW_HEAP);
    }
    if (count != 0 && facts[0].kind == HS_LOG_RESET) {
        log->uptime = -1;
        log->wrapped = log->step = 0;
    } else if (uptime >= 0) {
        log->uptime = uptime;
    }
    const int64_t moment = count != 0 ? hs_log_moment_read(line->text, line->length) : -1;
    for (size_t i = 0; i < count; i++) {
        facts[i].line = line->number;
        facts[i].offset = line->offset;
        facts[i].length = (uint32_t)(line->end - line->offset);
        facts[i].uptime = uptime;
        facts[i].before = log->uptime;
        facts[i].clock = prefix.clock;
        facts[i].time = facts[i].time > 0 ? facts[i].time : moment;
        facts[i].flags |= line->wrapped ? HS_LOG_WRAPPED : 0;
        facts[i].flags |= line->unended ? HS_LOG_UNENDED : 0;
        facts[i].flags |= prefix.is_arduino ? HS_LOG_ARDUINO : 0;
        if (facts[i].kind == HS_LOG_FIGURES && facts[i].name[0] == 0) {
            hs_log_copy(facts[i].name, sizeof facts[i].name, line->text + prefix.host,
                        prefix.host_length);
        }
        hs_log_quote(facts[i].quote, sizeof facts[i].quote, line->text + prefix.length,
                     line->length - prefix.length);
    }
    log->waiting += count;
}

size_t hs_log_push(hs_log_t *log, const uint8_t *bytes, size_t count)
{
    size_t taken = 0;
    while (has_room(log)) {
        const size_t left = count - taken;
        const size_t read = hs_log_lines_push(&log->lines, bytes + taken, left);
        taken += read;
        if (log->lines.is_ready) {
            read_line(log, &log->lines.ready);
        } else if (taken == count) {
            break;
        }
    }
    return taken;
}

size_t hs_log_take(hs_log_t *log, hs_lab_log_fact_t *out, size_t capacity)
{
    const size_t count = log->waiting < capacity ? log->waiting : capacity;
    memcpy(out, log->facts + log->first, count * sizeof *out);
    log->waiting -= count;
    log->first = log->waiting == 0 ? 0 : log->first + count;
    return count;
}

void hs_log_flush(hs_log_t *log)
{
    while (has_room(log) && hs_log_lines_flush(&log->lines)) {
        read_line(log, &log->lines.ready);
    }
}

uint64_t hs_log_line_count(const hs_log_t *log)
{
    return log->lines.line - log->lines.at_start;
}
