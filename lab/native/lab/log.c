/* The reader of logs for the binding. */
#include "log/log.h"

#include <stdlib.h>
#include <string.h>

#include "lab/lab.h"
#include "log/failed.h"

struct hs_lab_log {
    hs_log_t log;
};

hs_lab_log_t *hs_lab_log_new(void)
{
    hs_lab_log_t *log = malloc(sizeof *log);
    if (log != NULL) {
        hs_log_init(&log->log);
    }
    return log;
}

void hs_lab_log_delete(hs_lab_log_t *log)
{
    free(log);
}

int hs_lab_log_pattern(hs_lab_log_t *log, const char *text, size_t length, size_t *at)
{
    return (int)hs_log_pattern_add(&log->log, text, length, at);
}

int hs_lab_log_word(hs_lab_log_t *log, const char *word, const char *meaning, size_t *at)
{
    return (int)hs_log_word_add(&log->log, word, strlen(word), meaning, strlen(meaning), at);
}

size_t hs_lab_log_push(hs_lab_log_t *log, const uint8_t *bytes, size_t count)
{
    return hs_log_push(&log->log, bytes, count);
}

void hs_lab_log_flush(hs_lab_log_t *log)
{
    hs_log_flush(&log->log);
}

size_t hs_lab_log_take(hs_lab_log_t *log, hs_lab_log_fact_t *out, size_t capacity)
{
    return hs_log_take(&log->log, out, capacity);
}

uint64_t hs_lab_log_lines(const hs_lab_log_t *log)
{
    return hs_log_line_count(&log->log);
}

struct hs_lab_log_failures {
    hs_log_failed_t failed;
};

hs_lab_log_failures_t *hs_lab_log_failures_new(void)
{
    hs_lab_log_failures_t *failures = malloc(sizeof *failures);
    if (failures != NULL) {
        hs_log_failed_init(&failures->failed);
    }
    return failures;
}

void hs_lab_log_failures_delete(hs_lab_log_failures_t *failures)
{
    free(failures);
}

int hs_lab_log_failures_take(hs_lab_log_failures_t *failures, const hs_lab_log_fact_t *fact)
{
    return hs_log_failed_take(&failures->failed, fact);
}

size_t hs_lab_log_failed(const hs_lab_log_failures_t *failures, hs_lab_log_failed_t *rows,
                         size_t capacity)
{
    return hs_log_failed_rows(&failures->failed, rows, capacity);
}
