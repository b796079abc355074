/*
 * exec and posix_spawn: the next image is recorded too, whatever environment the program gives it
 * and whatever its word size is. Nothing here asks for memory or changes the process: a vfork's
 * child runs it on its parent's memory.
 */
#include "environment.h"
#include "real.h"
#include "session.h"
#include "system.h"

#if !defined(HS_REC_LINKED) && !HS_REC_IS_ATTACHED

#define PATH_MAXIMUM 4096

typedef int spawn_t(int *, const char *, const void *, const void *, char *const *, char *const *);

int execve(const char *, char *const *, char *const *);
int execv(const char *, char *const *);
int execvp(const char *, char *const *);
int execvpe(const char *, char *const *, char *const *);
int execl(const char *, const char *, ...);
int execlp(const char *, const char *, ...);
int execle(const char *, const char *, ...);
int fexecve(int, char *const *, char *const *);
int execveat(int, const char *, char *const *, char *const *, int);
spawn_t posix_spawn, posix_spawnp;

static struct {
    int (*execve)(const char *, char *const *, char *const *);
    int (*execvpe)(const char *, char *const *, char *const *);
    int (*fexecve)(int, char *const *, char *const *);
    int (*execveat)(int, const char *, char *const *, char *const *, int);
    spawn_t *spawn, *spawnp;
} real;

#define FIND(name, symbol)                                                                         \
    do {                                                                                           \
        void *actual_ = hs_rec_real_next(symbol);                                                  \
        memcpy(&real.name, &actual_, sizeof actual_);                                              \
    } while (0)

/* When the object is loaded: dlsym is not for a vfork's child. */
__attribute__((constructor)) static void load(void)
{
    FIND(execve, "execve");
    FIND(execvpe, "execvpe");
    FIND(fexecve, "fexecve");
    FIND(execveat, "execveat");
    FIND(spawn, "posix_spawn");
    FIND(spawnp, "posix_spawnp");
}

static int missing(void)
{
    *__errno_location() = 38; /* ENOSYS */
    return -1;
}

/* The environment of the next image, in the caller's `patched` and `text`. */
#define PATCH(environment, word_size)                                                              \
    hs_rec_control_t *control_ = hs_rec_session_control();                                         \
    const size_t count_ = control_ == NULL ? 1 : hs_rec_environment_count(environment);            \
    const size_t size_ = control_ == NULL ? 1 : hs_rec_environment_text(environment);              \
    char *patched_[count_];                                                                        \
    char text_[size_];                                                                             \
    if (control_ != NULL) {                                                                        \
        hs_rec_environment_patch(control_, environment, word_size, patched_, text_);               \
        environment = patched_;                                                                    \
    }

/* The word size of what a name without slash means on PATH. */
static unsigned word_size_on_path(const char *file)
{
    const char *list = "/bin:/usr/bin";
    for (char **at = environ; at != NULL && *at != NULL; at++) {
        list = strncmp(*at, "PATH=", 5) == 0 ? *at + 5 : list;
    }
    const size_t length = strlen(file);
    if (strchr(file, '/') != NULL || length >= PATH_MAXIMUM / 2) {
        return hs_rec_image_word_size(file);
    }
    while (*list != 0) {
        char path[PATH_MAXIMUM];
        size_t folder = 0;
        while (list[folder] != 0 && list[folder] != ':') {
            folder++;
        }
        if (folder < PATH_MAXIMUM / 2) {
            memcpy(path, folder == 0 ? "." : list, folder == 0 ? 1 : folder);
            const size_t end = folder == 0 ? 1 : folder;
            path[end] = '/';
            memcpy(path + end + 1, file, length + 1);
            const int descriptor = hs_rec_open(path, false);
            if (descriptor >= 0) {
                const unsigned match = hs_rec_image_word_size_of(descriptor);
                hs_rec_close(descriptor);
                return match;
            }
        }
        list += folder + (list[folder] != 0);
    }
    return sizeof(void *);
}

HS_REC_EXPORT int execve(const char *path, char *const *arguments, char *const *environment)
{
    if (real.execve == NULL) {
        return missing();
    }
    PATCH(environment, hs_rec_image_word_size(path))
    return real.execve(path, arguments, environment);
}

HS_REC_EXPORT int execv(const char *path, char *const *arguments)
{
    return execve(path, arguments, environ);
}

HS_REC_EXPORT int execvpe(const char *file, char *const *arguments, char *const *environment)
{
    if (real.execvpe == NULL) {
        return missing();
    }
    PATCH(environment, word_size_on_path(file))
    return real.execvpe(file, arguments, environment);
}

HS_REC_EXPORT int execvp(const char *file, char *const *arguments)
{
    return execvpe(file, arguments, environ);
}

HS_REC_EXPORT int fexecve(int descriptor, char *const *arguments, char *const *environment)
{
    if (real.fexecve == NULL) {
        return missing();
    }
    PATCH(environment, hs_rec_image_word_size_of(descriptor))
    return real.fexecve(descriptor, arguments, environment);
}

HS_REC_EXPORT int execveat(int folder, const char *path, char *const *arguments,
                           char *const *environment, int flags)
{
    if (real.execveat == NULL) {
        return missing();
    }
    PATCH(environment,
          path[0] == 0 ? hs_rec_image_word_size_of(folder) : hs_rec_image_word_size(path))
    return real.execveat(folder, path, arguments, environment, flags);
}

HS_REC_EXPORT int posix_spawn(int *pid, const char *path, const void *actions,
                              const void *attributes, char *const *arguments,
                              char *const *environment)
{
    if (real.spawn == NULL) {
        return 38;
    }
    PATCH(environment, hs_rec_image_word_size(path))
    return real.spawn(pid, path, actions, attributes, arguments, environment);
}

HS_REC_EXPORT int posix_spawnp(int *pid, const char *file, const void *actions,
                               const void *attributes, char *const *arguments,
                               char *const *environment)
{
    if (real.spawnp == NULL) {
        return 38;
    }
    PATCH(environment, word_size_on_path(file))
    return real.spawnp(pid, file, actions, attributes, arguments, environment);
}

/* ---- arguments one by one ---- */

static size_t arguments_count(va_list list)
{
    size_t count = 1;
    while (va_arg(list, const char *) != NULL) {
        count++;
    }
    return count;
}

/* `list` begins after the first argument; it then stands behind the last one's NULL. */
#define COLLECT(first)                                                                             \
    va_list counted_, list_;                                                                       \
    va_start(counted_, first);                                                                     \
    const size_t number_ = arguments_count(counted_);                                              \
    va_end(counted_);                                                                              \
    const char *actual_[number_ + 1];                                                              \
    char *arguments[number_ + 1];                                                                  \
    va_start(list_, first);                                                                        \
    actual_[0] = first;                                                                            \
    for (size_t i_ = 1; i_ <= number_; i_++) {                                                     \
        actual_[i_] = va_arg(list_, const char *);                                                 \
    }                                                                                              \
    memcpy(arguments, actual_, sizeof arguments);

HS_REC_EXPORT int execl(const char *path, const char *first, ...)
{
    COLLECT(first)
    va_end(list_);
    return execve(path, arguments, environ);
}

HS_REC_EXPORT int execlp(const char *file, const char *first, ...)
{
    COLLECT(first)
    va_end(list_);
    return execvpe(file, arguments, environ);
}

HS_REC_EXPORT int execle(const char *path, const char *first, ...)
{
    COLLECT(first)
    char *const *environment = va_arg(list_, char *const *);
    va_end(list_);
    return execve(path, arguments, environment);
}

#endif
