/* The part of newlib's header that its malloc needs: each thread's own errno. */
#ifndef TESTS_DEVICE_LIBC_REENT_H
#define TESTS_DEVICE_LIBC_REENT_H

struct _reent {
    int _errno;
};
#define __errno_r(thread) ((thread)->_errno)

#endif
