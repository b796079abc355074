/* The text form imported in pieces, and read again. */
#ifndef TEXT_IMPORTED_H
#define TEXT_IMPORTED_H

#include "capture/import.h"
#include "stream.h"

#define IMPORTED_LEFT 100u

typedef struct imported {
    stream_bytes_t bytes;
    stream_events_t events;
    hs_import_stats_t stats;
    hs_decoder_t *decoder;
    uint8_t bad[HS_IMPORT_BAD_MAX];
    size_t bad_length;
    uint32_t features; /* that the lines asked for */
    hs_import_line_t left[IMPORTED_LEFT];
    size_t left_count;
} imported_t;

/* `piece`: bytes pushed at once; 0: all. Begins again with the features that a line wants. */
imported_t import_text(const char *text, size_t count, size_t piece);
void imported_clear(imported_t *imported);
void event_is(const imported_t *imported, size_t index, unsigned kind, uint64_t key, uint64_t size,
              uint32_t task);
void name_is(const imported_t *imported, hs_name_table_t table, uint32_t index, const char *wanted);

#endif
