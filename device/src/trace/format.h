/*
 * The constants of format/SPEC.md, shared by the encoder and the decoder. A change here is a change
 * of the format: it needs an entry in the specification's version history.
 */
#ifndef HEAPSCOPE_TRACE_FORMAT_H
#define HEAPSCOPE_TRACE_FORMAT_H

#include <stdint.h>

/* Chunk: | sync 4 | kind 1 | version 1 | features 2 | sequence 4 | length 2 | check 2 | payload |
 * CRC 4 |, all little-endian. */
#define HS_SYNC_0 0x48u
#define HS_SYNC_1 0x53u
#define HS_SYNC_2 0xC7u
#define HS_SYNC_3 0x9Au

enum {
    HS_CHUNK_KIND_AT = 4,
    HS_CHUNK_VERSION_AT = 5,
    HS_CHUNK_FEATURES_AT = 6,
    HS_CHUNK_SEQUENCE_AT = 8,
    HS_CHUNK_LENGTH_AT = 12,
    HS_CHUNK_CHECK_AT = 14,
    HS_CHUNK_HEADER = 16,
    HS_CHUNK_CRC = 4,
    HS_CHUNK_PAYLOAD_MAX = 65535
};
#define HS_CHUNK_MAX (HS_CHUNK_HEADER + HS_CHUNK_PAYLOAD_MAX + HS_CHUNK_CRC)

enum { HS_CHUNK_METADATA = 1, HS_CHUNK_EVENTS = 2, HS_CHUNK_END = 3 };

/* Features a reader must understand, and those of them that exist. */
#define HS_FEATURES_REQUIRED 0x00FFu
#define HS_FEATURES_BOOT_SHIFT 8u
#define HS_FEATURES_KNOWN (HS_TRACE_ADDRESSES | HS_TRACE_CLOCK | HS_TRACE_SITES)

enum {
    HS_RECORD_FREE = 0,
    HS_RECORD_MALLOC = 1,
    HS_RECORD_REALLOC = 2,
    HS_RECORD_CALLOC = 3,
    HS_RECORD_ALIGNED = 4,
    HS_RECORD_TASK = 5,
    HS_RECORD_CAPS = 6,
    HS_RECORD_EXTENSION = 7
};

enum {
    HS_EXTENSION_MARK = 0,
    HS_EXTENSION_NAME = 1,
    HS_EXTENSION_FAILED = 2,
    HS_EXTENSION_TASK_START = 3,
    HS_EXTENSION_TASK_END = 4,
    HS_EXTENSION_LOST = 5,
    HS_EXTENSION_HEAP = 6,
    HS_EXTENSION_POOL_CREATE = 7,
    HS_EXTENSION_POOL_GROW = 8,
    HS_EXTENSION_POOL_ALLOC = 9,
    HS_EXTENSION_POOL_RELEASE = 10,
    HS_EXTENSION_SITE_CALLERS = 12, /* 11 is an unknown one in a golden file */
    HS_EXTENSION_TASK_ON = 13,
    HS_EXTENSION_LEVEL = 14,
    HS_EXTENSION_PAIRS = 15,
    HS_EXTENSION_SNAPSHOT = 16,
    HS_EXTENSION_LIVE = 17,
    HS_EXTENSION_SNAPSHOT_END = 18,
    HS_EXTENSION_REGION = 19,
    HS_EXTENSION_LOST_KIND = 20,
    HS_EXTENSION_FREE_MEMORY = 21
};

/* Kinds of LOST_KIND besides those of events: how many were left out by level or filter, and how many
 * allocations PAIRS records have counted. */
#define HS_LOST_LEFT_OUT 7u
#define HS_LOST_PAIRS 8u
#define HS_LOST_KINDS 9u

/* Flags of LIVE. */
#define HS_LIVE_OWNED 1u /* task and capabilities are those of what follows */
#define HS_LIVE_SITES 2u /* each block has a site */

#define HS_VARINT_MAX 10u     /* bytes of the longest varint, and of the longest record head */
#define HS_ALIGN_LOG2_MAX 31u /* largest alignment: 2 GiB */
#define HS_CORE_MAX 255u
#define HS_ADDRESS_SHIFT_MAX 15u /* largest granule of addresses: 32 KiB */

#endif
