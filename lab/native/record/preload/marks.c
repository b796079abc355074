/* The program tells about itself: the calls of include/heapscope/record.h, and names of threads. */
#include "heapscope/record.h"

#include "real.h"
#include "session.h"
#include "system.h"

#define NAME_MAX 255u
#define SET_NAME 15 /* prctl's PR_SET_NAME */

static void put_name(const char *name)
{
    const size_t length = strlen(name);
    hs_rec_put_text(name, length < NAME_MAX ? length : NAME_MAX);
}

HS_REC_EXPORT void heapscope_mark(const char *name)
{
    put_name(name);
    hs_rec_put(HS_REC_MARK, 0, 0, 0, 0);
}

HS_REC_EXPORT void heapscope_start(void)
{
    hs_rec_put(HS_REC_START, 0, 0, 0, 0);
}

HS_REC_EXPORT void heapscope_stop(void)
{
    hs_rec_put(HS_REC_STOP, 0, 0, 0, 0);
}

HS_REC_EXPORT void heapscope_task(const char *name)
{
    if (name != NULL) {
        put_name(name);
    }
    hs_rec_put(HS_REC_TASK, 0, 0, 0, 0);
}

HS_REC_EXPORT void heapscope_pool(const char *name, heapscope_pool_event_t event, size_t bytes,
                                  size_t increment)
{
    put_name(name);
    hs_rec_put(HS_REC_POOL, bytes, increment, 0, (unsigned)event & 3u);
}

#ifndef HS_REC_LINKED

int HS_REC_HOOK(pthread_setname_np)(hs_rec_pthread_t, const char *);

static void put_thread_name(hs_rec_pthread_t thread, const char *name)
{
    uint64_t text[2] = {0, 0};
    const size_t length = strlen(name);
    memcpy(text, name, length < 15 ? length : 15);
    hs_rec_put(HS_REC_RENAMED, text[0], text[1], thread, 0);
}

HS_REC_EXPORT int HS_REC_HOOK(pthread_setname_np)(hs_rec_pthread_t thread, const char *name)
{
    int (*real)(hs_rec_pthread_t, const char *) = NULL;
    void *match = hs_rec_real_next("pthread_setname_np");
    memcpy(&real, &match, sizeof match);
    if (real == NULL) {
        return 38; /* ENOSYS */
    }
    const int status = real(thread, name);
    if (status == 0) {
        put_thread_name(thread, name);
    }
    return status;
}

#if !HS_REC_IS_ATTACHED

int prctl(int, ...);

HS_REC_EXPORT int prctl(int option, ...)
{
    static int (*real)(int, ...);
    if (real == NULL) {
        void *match = hs_rec_real_next("prctl");
        memcpy(&real, &match, sizeof match);
    }
    va_list list;
    va_start(list, option);
    unsigned long arguments[4];
    for (int i = 0; i < 4; i++) { /* as many as there can be: the rest is not looked at */
        arguments[i] = va_arg(list, unsigned long);
    }
    va_end(list);
    if (real == NULL) {
        return -1;
    }
    const int status = real(option, arguments[0], arguments[1], arguments[2], arguments[3]);
    if (status == 0 && option == SET_NAME) {
        put_thread_name(0, (const char *)arguments[0]);
    }
    return status;
}

#endif

#endif
