#ifndef HOSTED_INTTYPES_H
#define HOSTED_INTTYPES_H

#include <stdint.h>

/* For the compilers' 32-bit targets: 32 bits are an unsigned int or an unsigned long. */
#define PRId32 __INT32_FMTd__
#define PRIu32 __UINT32_FMTu__
#define PRIx32 __UINT32_FMTx__
#define PRIX32 __UINT32_FMTX__
#define PRId64 __INT64_FMTd__
#define PRIu64 __UINT64_FMTu__
#define PRIx64 __UINT64_FMTx__
#define PRIX64 __UINT64_FMTX__
#define PRIuPTR __UINTPTR_FMTu__
#define PRIxPTR __UINTPTR_FMTx__

#endif
