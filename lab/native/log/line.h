/*
 * Lines of a log out of bytes in any pieces: UTF-16, terminal colours, carriage returns, NUL and other
 * noise are taken away, and lines that a terminal wrapped at 80 columns are put together. Private.
 */
#ifndef HEAPSCOPE_LOG_LINE_H
#define HEAPSCOPE_LOG_LINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define HS_LOG_LINE_MAX 4096u /* bytes of text; a longer line comes in parts, cut at a blank */
#define HS_LOG_WRAP 80u       /* columns of the terminal that wraps */

typedef struct hs_log_line {
    uint64_t number; /* from 1 */
    uint64_t offset; /* of its first byte in the input */
    uint64_t end;    /* behind its last byte */
    size_t length;   /* bytes of text */
    bool wrapped;
    bool unended;                   /* no end of line came yet: its last number may go on */
    char text[HS_LOG_LINE_MAX + 1]; /* ended by NUL, without NUL inside */
} hs_log_line_t;

typedef struct hs_log_lines {
    hs_log_line_t open;  /* the line that is being read */
    hs_log_line_t ready; /* the line that can be taken */
    bool is_ready;       /* `ready` has a line */
    bool row_waits;      /* the open line is a whole row: it is looked at when `ready` was taken */
    bool wide;           /* a row had more than HS_LOG_WRAP columns */
    bool carriage;       /* the last byte was a carriage return */
    bool at_start;       /* nothing of the line came yet */
    uint8_t escape;      /* state within an escape sequence */
    uint8_t encoding;    /* bytes or UTF-16 */
    uint8_t half;        /* the first byte of a UTF-16 unit */
    size_t columns;      /* of the last row of the open line */
    size_t seam;         /* where the last row of the open line begins; 0: it has one row */
    uint64_t seam_number, seam_offset; /* number and offset of that row */
    uint64_t bytes, line;              /* read so far; the line that is being read */
} hs_log_lines_t;

void hs_log_lines_init(hs_log_lines_t *lines);
/* Reads bytes until a line is ready or all are read; returns how many. */
size_t hs_log_lines_push(hs_log_lines_t *lines, const uint8_t *bytes, size_t count);
/* The input ended, or was quiet so long that an open line is taken for whole. True: a line is ready. */
bool hs_log_lines_flush(hs_log_lines_t *lines);

#endif
