#include "line.h"

#include <string.h>

#define CUT_BACK 512u /* where a part of a long line may end: at the last blank of so many bytes */

enum { BYTES, UTF16_LE, UTF16_BE };
enum { PLAIN, ESCAPED, SEQUENCE, TITLE }; /* within ESC, ESC [ and ESC ] */

void hs_log_lines_init(hs_log_lines_t *lines)
{
    memset(lines, 0, sizeof *lines);
    lines->line = 1;
    lines->at_start = true;
}

static bool digit(char byte)
{
    return byte >= '0' && byte <= '9';
}

/* Bytes of a colour without its ESC, "[0;32m"; 0: not one. */
static size_t lost_colour(const char *text)
{
    size_t at = 1;
    if (!digit(text[1])) {
        return 0;
    }
    while (digit(text[at]) || text[at] == ';') {
        at++;
    }
    return text[at] == 'm' && at < 16 ? at + 1 : 0;
}

/* The bytes that stand for `text` in a form: 0 where it stands for itself. */
static size_t stand_in(const char *text, char *with)
{
    static const struct {
        const char *bytes;
        char with; /* NUL: nothing */
    } table[] = {{"**", 0},
                 {"`", ' '},
                 {"\xE3\x80\x90", '['},
                 {"\xE3\x80\x91", ']'},
                 {"\xC2\xA0", ' '},
                 {"\xEF\xBC\x9A", ':'},
                 {"\xEF\xBB\xBF", 0}};
    for (size_t i = 0; i < sizeof table / sizeof table[0]; i++) {
        const size_t size = strlen(table[i].bytes);
        if (strncmp(text, table[i].bytes, size) == 0) {
            *with = table[i].with;
            return size;
        }
    }
    return 0;
}

/* Takes away what a colour, a page or an input method put around the text. */
static void clean(hs_log_line_t *line)
{
    size_t kept = 0;
    line->text[line->length] = 0;
    for (size_t at = 0; at < line->length;) {
        const char *text = line->text + at;
        char with = text[0];
        size_t taken = text[0] == '[' ? lost_colour(text) : 0;
        if (taken != 0) {
            with = 0;
        } else if (text[0] == '*' || text[0] == '`' || (unsigned char)text[0] >= 0xC2) {
            taken = stand_in(text, &with);
        }
        if (with != 0) {
            line->text[kept++] = with;
        }
        at += taken != 0 ? taken : 1;
    }
    while (kept > 0 && line->text[kept - 1] == ' ') {
        kept--;
    }
    line->length = kept;
    line->text[kept] = 0;
}

/* Gives out the first `length` bytes of the open line; the others stay open, at `next`. */
static void give(hs_log_lines_t *lines, size_t length, uint64_t number, uint64_t offset)
{
    const size_t rest = lines->open.length - length;
    lines->ready.number = lines->open.number;
    lines->ready.offset = lines->open.offset;
    lines->ready.end = rest != 0 ? offset : lines->open.end;
    lines->ready.wrapped = lines->open.wrapped;
    lines->ready.unended = false;
    lines->ready.length = length;
    memcpy(lines->ready.text, lines->open.text, length);
    clean(&lines->ready);
    memmove(lines->open.text, lines->open.text + length, rest);
    lines->open.length = rest;
    lines->open.number = number;
    lines->open.offset = offset;
    lines->open.wrapped = false;
    lines->seam = 0;
    lines->is_ready = lines->ready.length != 0;
}

/* "12:34:56", "2023-08-18", "121344 " or "121344:" of a clock of ms; or such digits are a number of
 * the row above, which `before` ends. */
static bool clock_like(const char *text, char before)
{
    if (before == ' ') {
        return false;
    }
    size_t digits = 0;
    while (digit(text[digits])) {
        digits++;
    }
    const char behind = text[digits];
    return (digits == 2 && behind == ':') || (digits == 4 && behind == '-') ||
           (digits > 4 && !digit(before) && (behind == ' ' || behind == ':'));
}

/* Does a row begin as a program begins a line, and not in the middle of one? It does behind a
 * ruled line, too. */
static bool begins_line(const char *text)
{
    const char *before = text - 3; /* a seam is behind HS_LOG_WRAP columns */
    if (before[0] == before[1] && before[1] == before[2] && strchr("-=_*#", before[0]) != NULL) {
        return true;
    }
    const bool level = strchr("EWIDV", text[0]) != NULL && text[0] != 0;
    return (level && text[1] == ' ' && text[2] == '(') || text[0] == '[' ||
           clock_like(text, before[2]) || (text[0] == ' ' && text[1] == ' ');
}

/* The terminal's row ended. */
static void end_row(hs_log_lines_t *lines)
{
    const size_t columns = lines->columns;
    lines->columns = 0;
    lines->open.text[lines->open.length] = 0;
    if (columns > HS_LOG_WRAP) {
        lines->wide = true; /* this terminal does not wrap */
    }
    if (lines->seam != 0 &&
        (columns == 0 || lines->wide || begins_line(lines->open.text + lines->seam))) {
        lines->row_waits = columns != 0;
        lines->columns = columns;
        give(lines, lines->seam, lines->seam_number, lines->seam_offset);
    } else if (columns == HS_LOG_WRAP && !lines->wide && lines->open.length < HS_LOG_LINE_MAX / 2) {
        lines->open.wrapped = lines->seam != 0;
        lines->seam = lines->open.length;
    } else if (lines->open.length != 0) {
        lines->open.wrapped = lines->seam != 0;
        give(lines, lines->open.length, 0, 0);
    }
}

static void put(hs_log_lines_t *lines, char byte, uint64_t at)
{
    hs_log_line_t *open = &lines->open;
    if (open->length == HS_LOG_LINE_MAX) {
        size_t cut = open->length;
        while (cut > open->length - CUT_BACK && open->text[cut - 1] != ' ') {
            cut--;
        }
        give(lines, cut > open->length - CUT_BACK ? cut : open->length, open->number, at);
    }
    if (open->length == 0) {
        open->number = lines->line;
        open->offset = at;
    }
    if (lines->seam != 0 && open->length == lines->seam) {
        lines->seam_number = lines->line;
        lines->seam_offset = at;
    }
    lines->columns += ((unsigned char)byte & 0xC0) != 0x80; /* not within a letter of UTF-8 */
    open->text[open->length++] = byte;
    open->end = lines->bytes;
}

/* One byte of text; a letter of UTF-16 comes as its bytes of UTF-8. */
static void take(hs_log_lines_t *lines, uint8_t byte, uint64_t at)
{
    lines->at_start = byte == '\n';
    if (byte == '\n' || byte == '\r') {
        const bool again = byte == '\n' && lines->carriage;
        lines->carriage = byte == '\r';
        lines->escape = PLAIN;
        if (!again) {
            end_row(lines);
        }
        lines->line += byte == '\n';
        return;
    }
    lines->carriage = false;
    switch (lines->escape) {
    case ESCAPED:
        lines->escape = byte == '[' ? SEQUENCE : byte == ']' ? TITLE : PLAIN;
        return;
    case SEQUENCE:
        lines->escape = byte >= 0x40 && byte < 0x7F ? PLAIN : SEQUENCE;
        return;
    case TITLE:
        lines->escape = byte == 0x07 ? PLAIN : byte == 0x1B ? ESCAPED : TITLE;
        return;
    default:
        break;
    }
    if (byte == 0x1B) {
        lines->escape = ESCAPED;
    } else if (byte == '\t') {
        put(lines, ' ', at);
    } else if (byte >= ' ' && byte != 0x7F && byte < 0xFE) {
        put(lines, (char)byte, at);
    }
}

/* A unit of UTF-16; halves of letters beyond 0xFFFF become two marks. */
static void take_unit(hs_log_lines_t *lines, unsigned unit, uint64_t at)
{
    if (unit < 0x80) {
        take(lines, (uint8_t)unit, at);
        return;
    }
    if (unit < 0x800) {
        take(lines, (uint8_t)(0xC0 | unit >> 6), at);
    } else {
        take(lines, (uint8_t)(0xE0 | unit >> 12), at);
        take(lines, (uint8_t)(0x80 | (unit >> 6 & 0x3F)), at);
    }
    take(lines, (uint8_t)(0x80 | (unit & 0x3F)), at);
}

static void push_byte(hs_log_lines_t *lines, uint8_t byte)
{
    const uint64_t at = lines->bytes++;
    if (at == 1 &&
        ((lines->half == 0xFF && byte == 0xFE) || (lines->half == 0xFE && byte == 0xFF))) {
        lines->encoding = byte == 0xFE ? UTF16_LE : UTF16_BE;
        return;
    }
    if (lines->encoding == BYTES) {
        lines->half = byte; /* of the mark that may begin the input */
        take(lines, byte, at);
    } else if ((at & 1) == 0) {
        lines->half = byte;
    } else {
        const unsigned low = lines->encoding == UTF16_LE ? lines->half : byte;
        const unsigned high = lines->encoding == UTF16_LE ? byte : lines->half;
        take_unit(lines, high << 8 | low, at - 1);
    }
}

/* Plain text, which comes in long runs: as put() takes it byte by byte. Returns how much it took. */
static size_t put_run(hs_log_lines_t *lines, const uint8_t *bytes, size_t count)
{
    hs_log_line_t *open = &lines->open;
    const size_t room = HS_LOG_LINE_MAX - open->length;
    size_t run = 0;
    if (lines->encoding != BYTES || lines->escape != PLAIN || lines->bytes < 2 ||
        open->length == 0 || open->length == lines->seam) {
        return 0; /* the first byte of a row is noted */
    }
    count = count < room ? count : room;
    while (run < count && bytes[run] >= ' ' && bytes[run] != 0x7F && bytes[run] < 0xFE) {
        lines->columns += (bytes[run] & 0xC0) != 0x80;
        run++;
    }
    memcpy(open->text + open->length, bytes, run);
    open->length += run;
    lines->bytes += run;
    open->end = run != 0 ? lines->bytes : open->end;
    lines->carriage = run == 0 && lines->carriage;
    return run;
}

/* A row that was behind a given line, when that was taken or was empty. */
static void end_waiting(hs_log_lines_t *lines)
{
    if (lines->row_waits && !lines->is_ready) {
        lines->row_waits = false;
        end_row(lines);
    }
}

size_t hs_log_lines_push(hs_log_lines_t *lines, const uint8_t *bytes, size_t count)
{
    size_t taken = 0;
    lines->is_ready = false;
    end_waiting(lines);
    while (taken < count && !lines->is_ready) {
        const size_t run = put_run(lines, bytes + taken, count - taken);
        taken += run;
        if (taken < count) {
            push_byte(lines, bytes[taken++]);
            end_waiting(lines);
        }
    }
    return taken;
}

bool hs_log_lines_flush(hs_log_lines_t *lines)
{
    lines->is_ready = false;
    end_waiting(lines);
    if (!lines->is_ready && lines->open.length != 0) {
        const bool ended = lines->open.length == lines->seam; /* a whole row that may be wrapped */
        lines->open.wrapped = lines->seam != 0;
        lines->columns = 0;
        give(lines, lines->open.length, 0, 0);
        lines->ready.unended = !ended;
    }
    return lines->is_ready;
}
