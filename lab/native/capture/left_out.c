#include "left_out.h"

#include <string.h>

static const char *const reasons[HS_IMPORT_REASONS] = {
    [HS_IMPORT_TAKEN] = "it was taken",
    [HS_IMPORT_NO_LINE] = "it does not have this form",
    [HS_IMPORT_FIELD_MISSING] = "a field is missing",
    [HS_IMPORT_NO_NUMBER] = "a field should be a number",
    [HS_IMPORT_LARGE_NUMBER] = "a number is too large",
    [HS_IMPORT_ALIGNMENT] = "the alignment is not a power of two up to 2^31",
    [HS_IMPORT_CAPABILITY] = "a capability is unknown",
    [HS_IMPORT_FIELDS] = "it has more fields than it can have",
    [HS_IMPORT_NAME_MISSING] = "the name is missing",
    [HS_IMPORT_NAMES] = "a trace holds no more names",
    [HS_IMPORT_TIME] = "the time in brackets is not a whole number",
    [HS_IMPORT_FACT] = "the fact is unknown",
    [HS_IMPORT_LATE_FACT] = "the fact comes after the first event",
    [HS_IMPORT_LONG] = "it is longer than 16384 bytes"};

const char *hs_import_reason_name(uint32_t reason)
{
    return reason < HS_IMPORT_REASONS ? reasons[reason] : NULL;
}

hs_status_t hs_left_out_add(hs_left_out_t *left, uint64_t line, hs_import_reason_t reason,
                            const uint8_t *text, size_t length)
{
    left->by_reason[reason]++;
    if (left->kept >= left->most) {
        return HS_OK;
    }
    left->kept++;
    hs_import_line_t row = {.line = line, .reason = (uint32_t)reason};
    row.length = length < HS_IMPORT_BAD_MAX ? (uint32_t)length : HS_IMPORT_BAD_MAX;
    memcpy(row.text, text, row.length);
    return hs_queue_put(&left->rows, &row, sizeof row);
}
