/*
 * The recorder in a program that ran already: nothing of it was bound to these functions, so each slot
 * of each loaded file that leads to one of the C library's is made to lead here, and the symbols by
 * which later files would find them, too. Only in the object that is made for it (HS_REC_IS_ATTACHED).
 */
#ifndef HEAPSCOPE_RECORD_ATTACHED_H
#define HEAPSCOPE_RECORD_ATTACHED_H

#include "libc.h"

/* Answers of heapscope_attach. */
typedef enum hs_rec_attached {
    HS_REC_ATTACH_DONE = 0,
    HS_REC_ATTACH_ALREADY = 1,   /* it is being recorded */
    HS_REC_ATTACH_NO_HEAP = 2,   /* the program has none of the functions */
    HS_REC_ATTACH_NO_MEMORY = 3, /* the recorder's memory cannot be opened from here */
    HS_REC_ATTACH_NO_SYMBOLS = 4 /* done; files that are loaded later are not recorded */
} hs_rec_attached_t;

/* The program's function of that name, which stands behind ours; NULL: it has none. */
void *hs_rec_attached_real(const char *name);

#endif
