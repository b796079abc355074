/* Prints the facts of a log on standard input: line, kind, what is reported, and some of the numbers. */
#include <inttypes.h>
#include <stdio.h>

#include "log/log.h"

static void print_all(hs_log_t *log)
{
    hs_lab_log_fact_t fact;
    while (hs_log_take(log, &fact, 1) != 0) {
        printf("%" PRIu64 " %u %" PRIu32 " %" PRId64 " %" PRId64 " %" PRId64 "\n", fact.line,
               (unsigned)fact.kind, fact.has, fact.size, fact.free, fact.largest);
    }
}

int main(void)
{
    static hs_log_t log;
    static uint8_t bytes[4096];
    hs_log_init(&log);
    for (size_t count; (count = fread(bytes, 1, sizeof bytes, stdin)) != 0;) {
        for (size_t at = 0; at < count;) {
            at += hs_log_push(&log, bytes + at, count - at);
            print_all(&log);
        }
    }
    hs_log_flush(&log);
    print_all(&log);
    return 0;
}
