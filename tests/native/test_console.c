/* The lines of a log do not depend on how its bytes are cut, and colours are taken out. */
#include <stdio.h>
#include <string.h>

#include "../models/check.h"
#include "listen/console.h"

static char taken[32768];

static void lines_of(const char *text, size_t count, size_t step)
{
    static hs_console_t console;
    size_t used = 0;
    memset(&console, 0, sizeof console);
    for (size_t at = 0; at < count; at += step) {
        const size_t size = count - at < step ? count - at : step;
        CHECK(hs_console_push(&console, (const uint8_t *)text + at, size) == HS_OK, "pushed");
        used += hs_queue_take(&console.lines, taken + used, 1, sizeof taken - used);
    }
    CHECK(hs_console_quiet(&console) == HS_OK, "quiet");
    used += hs_queue_take(&console.lines, taken + used, 1, sizeof taken - used - 1);
    taken[used] = 0;
    hs_console_free(&console);
}

int main(void)
{
    static const struct {
        const char *text, *lines;
    } cases[] = {{"one\ntwo\r\nthree\r\r\n\n", "one\ntwo\nthree\n\n"},
                 {"10 %\r20 %\r\r30 %\n", "10 %\n20 %\n\n30 %\n"},
                 {"half\r", "half\n"},
                 {"\x1b[0;32mI (5) app: fine\x1b[0m\r\n", "I (5) app: fine\n"},
                 {"\x1b[m\x1b[2K\x1b[31\n", "\x1b[2K\x1b[31\n"},
                 {"\x1b[111111111111111111111m\n", "\x1b[111111111111111111111m\n"},
                 {"", ""}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        for (size_t step = 1; step < 8; step++) {
            lines_of(cases[i].text, strlen(cases[i].text), step);
            CHECK(strcmp(taken, cases[i].lines) == 0, "%zu by %zu: %s", i, step, taken);
        }
    }
    static char longest[HS_CONSOLE_LINE_MAX + 2];
    memset(longest, 'x', HS_CONSOLE_LINE_MAX + 1);
    lines_of(longest, HS_CONSOLE_LINE_MAX + 1, 1000);
    CHECK(strlen(taken) == HS_CONSOLE_LINE_MAX + 3, "%zu", strlen(taken));
    CHECK(taken[HS_CONSOLE_LINE_MAX] == '\n', "where a long line is cut");
    return 0;
}
