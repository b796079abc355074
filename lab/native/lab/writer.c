/* Events to .hst bytes, for tools that make or transform traces. */
#include <stdlib.h>
#include <string.h>

#include "heapscope/trace.h"
#include "lab/lab.h"
#include "queue/queue.h"

#define CHUNK_MEMORY 65000u

struct hs_lab_writer {
    uint64_t memory[(CHUNK_MEMORY + 7) / 8]; /* the encoder's */
    hs_trace_t *trace;
    hs_queue_t ready; /* finished bytes */
};

static hs_status_t keep(void *context, const uint8_t *bytes, size_t count)
{
    hs_lab_writer_t *writer = context;
    return hs_queue_put(&writer->ready, bytes, count);
}

hs_lab_writer_t *hs_lab_writer_new(uint32_t features, uint32_t address_shift)
{
    hs_lab_writer_t *writer = calloc(1, sizeof *writer);
    if (writer == NULL) {
        return NULL;
    }
    const hs_trace_config_t config = {(uint16_t)features, (uint8_t)address_shift, keep, writer};
    writer->trace = features > UINT16_MAX || address_shift > UINT8_MAX
                        ? NULL
                        : hs_trace_open(writer->memory, CHUNK_MEMORY, &config);
    if (writer->trace == NULL) {
        free(writer);
        return NULL;
    }
    return writer;
}

void hs_lab_writer_delete(hs_lab_writer_t *writer)
{
    if (writer != NULL) {
        hs_queue_free(&writer->ready);
        free(writer);
    }
}

int hs_lab_writer_metadata(hs_lab_writer_t *writer, const char *key, const char *value)
{
    return (int)hs_trace_metadata(writer->trace, key, value);
}

int hs_lab_writer_name(hs_lab_writer_t *writer, uint32_t table, uint32_t index, const char *name,
                       size_t length)
{
    return (int)(table == HS_NAMES_SITE
                     ? hs_trace_site(writer->trace, index, name, length)
                     : hs_trace_name(writer->trace, (hs_name_table_t)table, index, name, length));
}

int hs_lab_writer_events(hs_lab_writer_t *writer, const hs_lab_event_t *events, size_t count,
                         size_t *written)
{
    hs_status_t status = HS_OK;
    for (*written = 0; *written < count; ++*written) {
        hs_event_t event;
        memcpy(&event, &events[*written], sizeof event); /* same layout: reader.c asserts it */
        status = hs_trace_event(writer->trace, &event);
        if (status != HS_OK) {
            break;
        }
    }
    return (int)status;
}

int hs_lab_writer_finish(hs_lab_writer_t *writer)
{
    return (int)hs_trace_close(writer->trace);
}

size_t hs_lab_writer_take(hs_lab_writer_t *writer, uint8_t *out, size_t capacity)
{
    return hs_queue_take(&writer->ready, out, 1, capacity);
}
