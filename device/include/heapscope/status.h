/* Status codes of every Heapscope call that does not return a block. */
#ifndef HEAPSCOPE_STATUS_H
#define HEAPSCOPE_STATUS_H

typedef enum hs_status {
    HS_OK = 0,
    HS_ERR_ARGUMENT = 1, /* a parameter is outside its documented range */
    HS_ERR_MEMORY = 2,   /* the memory given, or the host's, does not suffice */
    HS_ERR_FORMAT = 3,   /* the bytes are not what the format allows */
    HS_ERR_VERSION = 4,  /* the bytes are of a newer version, or need a feature unknown here */
    HS_ERR_CORRUPT = 5,  /* a structure failed its integrity check */
    HS_ERR_SINK = 6      /* the caller's output refused the bytes */
} hs_status_t;

#endif
