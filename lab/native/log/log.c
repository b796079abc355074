#include "log.h"

#include <string.h>

#include "figures.h"
#include "prefix.h"
#include "quote.h"

void hs_log_init(hs_log_t *log)
{
    memset(log, 0, sizeof *log);
    hs_log_lines_init(&log->lines);
    hs_log_index_init(&log->index);
}

static bool has_room(const hs_log_t *log)
{
    return log->first + log->waiting <= HS_LOG_WAITING - HS_LOG_LINE_FACTS;
}

/* The forms of a line, into at most HS_LOG_LINE_FACTS facts; returns how many. */
static size_t read_forms(const hs_log_t *log, const hs_log_line_t *line, hs_lab_log_fact_t *facts)
{
    size_t count = 0;
    char before = ' ';
    for (size_t at = 0; at < line->length && count < HS_LOG_LINE_FACTS;) {
        const char byte = line->text[at];
        const bool hump = byte >= 'A' && byte <= 'Z' && before >= 'a' && before <= 'z';
        before = byte;
        hs_log_match_t match;
        if (hs_log_word_byte(byte) && (hump || at == 0 || !hs_log_word_byte(line->text[at - 1]))) {
            hs_log_fact_clear(&facts[count]);
            if (hs_log_form_find(&log->index, line->text, line->length, at, &facts[count],
                                 &match)) {
                count++;
                at = match.end;
                before = line->text[at - 1];
                continue;
            }
        }
        at++;
    }
    return count;
}

static void read_line(hs_log_t *log, const hs_log_line_t *line)
{
    hs_lab_log_fact_t *facts = &log->facts[log->first + log->waiting];
    hs_log_prefix_t prefix;
    hs_log_prefix_read(line->text, line->length, &prefix);
    size_t count = read_forms(log, line, facts);
    if (count == 0) {
        count = hs_log_figures_read(line->text, line->length, facts, HS_LOG_LINE_FACTS);
    }
    for (size_t i = 0; i < count; i++) {
        facts[i].line = line->number;
        facts[i].offset = line->offset;
        facts[i].length = (uint32_t)(line->end - line->offset);
        facts[i].uptime = prefix.uptime;
        facts[i].clock = prefix.clock;
        facts[i].flags |= line->wrapped ? HS_LOG_WRAPPED : 0;
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
    return log->lines.line;
}
