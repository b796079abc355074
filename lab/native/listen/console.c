#include "listen/console.h"

#define COLOUR_MAX 20u /* digits and semicolons of a colour */

void hs_console_free(hs_console_t *console)
{
    hs_queue_free(&console->lines);
}

/* Bytes of the colour that begins here, "ESC[0;32m"; 0: none does. */
static size_t colour(const uint8_t *bytes, size_t count)
{
    size_t at = 2;
    if (count < 3 || bytes[0] != 0x1B || bytes[1] != '[') {
        return 0;
    }
    while (at < count && at < 2 + COLOUR_MAX &&
           ((bytes[at] >= '0' && bytes[at] <= '9') || bytes[at] == ';')) {
        at++;
    }
    return at < count && bytes[at] == 'm' ? at + 1 : 0;
}

static hs_status_t end_line(hs_console_t *console)
{
    hs_status_t status = hs_queue_reserve(&console->lines, console->length + 1);
    if (status != HS_OK) {
        return status;
    }
    for (size_t at = 0; at < console->length;) {
        const size_t skipped = colour(console->open + at, console->length - at);
        if (skipped == 0) {
            *(uint8_t *)hs_queue_add(&console->lines, 1) = console->open[at];
        }
        at += skipped == 0 ? 1 : skipped;
    }
    *(uint8_t *)hs_queue_add(&console->lines, 1) = '\n';
    console->length = 0;
    return HS_OK;
}

static hs_status_t take(hs_console_t *console, uint8_t byte)
{
    hs_status_t status = HS_OK;
    if (byte == '\r') {
        console->returns++;
        return HS_OK;
    }
    if (byte == '\n') {
        console->returns = 0;
        return end_line(console);
    }
    for (; console->returns != 0 && status == HS_OK; console->returns--) {
        status = end_line(console);
    }
    if (console->length == sizeof console->open && status == HS_OK) {
        status = end_line(console);
    }
    if (status == HS_OK) {
        console->open[console->length++] = byte;
    }
    return status;
}

hs_status_t hs_console_push(hs_console_t *console, const uint8_t *bytes, size_t count)
{
    hs_status_t status = HS_OK;
    for (size_t i = 0; i < count && status == HS_OK; i++) {
        status = take(console, bytes[i]);
    }
    return status;
}

hs_status_t hs_console_quiet(hs_console_t *console)
{
    console->returns = 0;
    return console->length == 0 ? HS_OK : end_line(console);
}
