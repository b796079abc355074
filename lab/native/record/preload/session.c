#include "session.h"

#include "environment.h"
#include "modules.h"
#include "own.h"
#include "real.h"
#include "stack.h"
#include "system.h"

#define SPINS 200u             /* looks at a full ring before the thread sleeps */
#define WAIT_MILLISECONDS 100u /* of a sleep: then it looks whether the recorder lives */
#define PLACE_TRIES 50u

#define NO_SUCH_FILE (-2)

#define NO_RING ((hs_rec_ring_t *)1)

static hs_rec_own_t nothing; /* until there is a page */
hs_rec_own_t *hs_rec_own = &nothing;
_Thread_local hs_rec_thread_t hs_rec_thread = {.ring = NO_RING};

static hs_rec_control_t *control;
static char variable[HS_REC_PATH_MAX];            /* the path of the shared memory */
static _Atomic uint32_t off = HS_REC_IS_ATTACHED; /* 1: this process is not recorded */
static bool watches; /* whether the recorder's life can be seen from here */

/* Where the copy that a fork makes left the recorded order; read by its child, or by a child of that
 * one which forks before its first record. `here`: this process wrote the record. */
static struct {
    uint32_t known, here, place, life, number;
} forked;

static uint32_t begun_by; /* the process that took a place last; 0: none of this image did */

hs_rec_control_t *hs_rec_session_control(void)
{
    return control;
}

void hs_rec_bell(void)
{
    atomic_fetch_add(&control->bell, 1u);
    hs_rec_wake(&control->bell);
}

/* ---- a full ring ---- */

/* A process that was killed and is not yet waited for is there, but its descriptors are not. They
 * say nothing where there is no /proc, as after a chroot. */
static bool recorder_lives(void)
{
    char link[16];
    return hs_rec_is_alive(control->recorder) &&
           (hs_rec_read_link(variable, link, sizeof link) != NO_SUCH_FILE ||
            hs_rec_read_link("/proc/self/exe", link, sizeof link) < 0);
}

bool hs_rec_recorder_gone(void)
{
    return atomic_load(&control->closed) != 0 || (watches && !recorder_lives());
}

static void stop(void)
{
    atomic_store(&off, 1u);
    hs_rec_own->ring = NULL;
}

bool hs_rec_wait_for_room(hs_rec_ring_t *ring, uint32_t number)
{
    hs_rec_bell();
    for (unsigned i = 0; i < SPINS; i++) {
        if (hs_rec_ring_has_room(ring, number)) {
            return true;
        }
    }
    for (;;) { /* until the recorder makes room or is gone */
        atomic_store(&ring->waiting, 1u);
        const uint32_t tail = atomic_load(&ring->tail);
        if (number - tail < HS_REC_EVENTS) {
            return true;
        }
        if ((int32_t)(tail - number) > 0) {
            return false; /* the recorder has given this record up, after waiting long for it */
        }
        if (hs_rec_recorder_gone()) {
            stop();
            return false;
        }
        hs_rec_wait(&ring->tail, tail, WAIT_MILLISECONDS);
    }
}

static void put_lost(hs_rec_ring_t *ring, uint32_t lost)
{
    const uint32_t number = hs_rec_ring_claim(ring);
    if (hs_rec_ring_has_room(ring, number) || hs_rec_wait_for_room(ring, number)) {
        hs_rec_ring_write(ring, number, lost, 0, 0,
                          hs_rec_meta(HS_REC_LOST, 0, hs_rec_thread.number));
    }
}

void hs_rec_put_time(void)
{
    hs_rec_timespec_t time;
    if (clock_gettime != NULL && clock_gettime(HS_REC_CLOCK_MONOTONIC, &time) == 0) {
        const uint64_t seconds = (unsigned long)time.seconds;
        const uint64_t rest = (unsigned long)time.nanoseconds / 1000u;
        (void)hs_rec_put(HS_REC_TIME, seconds * 1000000u + rest, 0, 0, 0);
    }
}

/* A program whose own allocators are wrapped is recorded by these, unless it was asked otherwise. */
static uint32_t modes_of_process(void)
{
    const uint32_t modes = control->modes & ~HS_REC_PAUSED; /* the recorder's affair alone */
    if (!hs_rec_own_is_wrapped()) {
        return modes & HS_REC_DROP;
    }
    return (modes & HS_REC_NO_OWN) != 0 ? modes : modes | HS_REC_NO_LIBC;
}

bool hs_rec_may_claim(hs_rec_ring_t *ring, unsigned kind)
{
    const uint32_t modes = hs_rec_own->modes;
    if (kind <= HS_REC_FAILED &&
        (modes & (hs_rec_thread.telling != 0 ? HS_REC_NO_OWN : HS_REC_NO_LIBC)) != 0) {
        if (hs_rec_thread.telling != 0 || hs_rec_thread.own == 0) { /* else: a part of a call */
            atomic_fetch_add_explicit(&ring->left_out, 1u, memory_order_relaxed);
        }
        return false;
    }
    if ((modes & HS_REC_DROP) == 0) {
        return true;
    }
    const uint32_t head = atomic_load_explicit(&ring->head, memory_order_relaxed);
    const uint32_t tail = atomic_load_explicit(&ring->tail, memory_order_acquire);
    if (head - tail >= HS_REC_EVENTS - HS_REC_DROP_ROOM) {
        if (kind != HS_REC_TIME) { /* an event is lost, a time is not */
            atomic_fetch_add(&ring->lost, 1u);
        }
        return false;
    }
    if (HS_REC_UNLIKELY(atomic_load_explicit(&ring->lost, memory_order_relaxed) != 0)) {
        const uint32_t lost = atomic_exchange(&ring->lost, 0u);
        if (lost != 0) { /* no other thread was first: a number is taken only to be written */
            put_lost(ring, lost);
        }
    }
    return true;
}

/* ---- threads ---- */

static void thread_enter(hs_rec_ring_t *ring)
{
    uint32_t number = atomic_fetch_add(&ring->threads, 1u);
    if (number > HS_REC_THREAD_MAX) {
        number = HS_REC_THREAD_MAX;
    }
    hs_rec_thread.number = number;
    hs_rec_thread.ring = ring;
    uint64_t name[2];
    hs_rec_thread_name(name);
    hs_rec_put(HS_REC_THREAD, name[0], name[1], pthread_self == NULL ? 0 : pthread_self(),
               hs_rec_is_main_thread());
}

void hs_rec_inside_begin(void)
{
    hs_rec_thread.inside++;
    hs_rec_thread.ring = NO_RING;
}

void hs_rec_inside_end(void)
{
    hs_rec_thread.inside--; /* the next record compares, and enters without a new number */
}

/* ---- the process's place ---- */

/* Gives up the places that another image of this process had, before exec. */
static void leave_older_places(uint32_t pid)
{
    for (uint32_t i = 0; i < HS_REC_PROCESSES; i++) {
        uint32_t live = HS_REC_LIVE;
        if (atomic_load(&control->pids[i]) == pid) {
            (void)atomic_compare_exchange_strong(&control->states[i], &live, HS_REC_REPLACED);
        }
    }
}

/* The number of a place that is now ours, or HS_REC_PROCESSES. */
static uint32_t take_place(void)
{
    for (unsigned tries = 0; tries < PLACE_TRIES; tries++) {
        for (uint32_t i = 0; i < HS_REC_PROCESSES; i++) {
            uint32_t expected = HS_REC_FREE_PLACE;
            if (atomic_compare_exchange_strong(&control->states[i], &expected, HS_REC_TAKEN)) {
                return i;
            }
        }
        uint32_t nobody = 0; /* all taken: until the recorder is done with one */
        hs_rec_wait(&nobody, 0, 20);
    }
    return HS_REC_PROCESSES;
}

static void describe(hs_rec_ring_t *ring, uint32_t pid)
{
    ring->pid = pid;
    ring->word_size = sizeof(void *);
    ring->forked = forked.known != 0                  ? HS_REC_FORKED
                   : begun_by != 0 && begun_by != pid ? HS_REC_BEGUN_LATE
                   : HS_REC_IS_ATTACHED               ? HS_REC_ATTACHED
                                                      : HS_REC_FRESH;
    begun_by = pid;
    ring->parent_place = forked.place;
    ring->parent_life = forked.life;
    ring->fork_number = forked.number;
    forked.known = 0;
    hs_rec_allocator_name(ring->libc, sizeof ring->libc);
    (void)hs_rec_read_link("/proc/self/exe", ring->program, sizeof ring->program - 1);
}

static bool map_control(int descriptor)
{
    if (control == NULL) {
        control = hs_rec_map(descriptor, 0, HS_REC_CONTROL_BYTES);
        if (control != NULL && control->magic != HS_REC_MAGIC) {
            control = NULL;
        }
        watches = control != NULL && recorder_lives();
    }
    return control != NULL && atomic_load(&control->closed) == 0;
}

static hs_rec_ring_t *map_ring(int descriptor, uint32_t place)
{
    hs_rec_ring_t *ring = hs_rec_map(descriptor, hs_rec_ring_offset(place), HS_REC_RING_BYTES);
    if (ring == NULL) {
        atomic_store(&control->states[place], HS_REC_FREE_PLACE);
    }
    return ring;
}

static void publish(hs_rec_ring_t *ring, uint32_t place, uint32_t pid)
{
    describe(ring, pid);
    hs_rec_own->place = place;
    hs_rec_own->life = atomic_fetch_add(&control->lives[place], 1u) + 1u;
    hs_rec_own->modes = modes_of_process();
    hs_rec_own->frames = control->frames;
    atomic_store(&control->pids[place], pid);
    atomic_store(&control->orders[place], atomic_fetch_add(&control->begun, 1u) + 1u);
    atomic_store(&control->states[place], HS_REC_LIVE);
    hs_rec_bell();
    hs_rec_own->ring = ring;
}

static bool take_ring(void)
{
    const int descriptor = hs_rec_open(variable, true);
    if (descriptor < 0) {
        if (control != NULL) {
            atomic_fetch_add(&control->missed, 1u);
        }
        return false;
    }
    hs_rec_ring_t *ring = NULL;
    if (map_control(descriptor)) {
        const uint32_t pid = hs_rec_pid();
        leave_older_places(pid);
        const uint32_t place = take_place();
        if (place < HS_REC_PROCESSES) {
            ring = map_ring(descriptor, place);
        }
        if (ring != NULL) {
            publish(ring, place, pid);
        } else {
            atomic_fetch_add(&control->missed, 1u);
        }
    }
    hs_rec_close(descriptor);
    return ring != NULL;
}

/* ---- fork ---- */

static void before_fork(void)
{
    if (hs_rec_own->ring == NULL || hs_rec_thread.inside != 0) {
        return;
    }
    /* A block that another thread takes between this record and the copy is not in the child's. */
    forked.number = hs_rec_put(HS_REC_FORK, 0, 0, 0, 0);
    forked.place = hs_rec_own->place;
    forked.life = hs_rec_own->life;
    forked.known = forked.here = 1;
}

/* A process that wrote no record of its own before its fork is still the copy that it was: its own
 * blocks, and those of its child, are those of the fork before. */
static void in_parent(void)
{
    if (forked.here != 0) {
        forked.known = forked.here = 0;
    }
}

static void in_child(void)
{
    hs_rec_own->ring = NULL;
    forked.here = 0;
    atomic_store(&hs_rec_own->busy, 0u);
}

/* ---- the beginning ---- */

/* Begins once in an image: the environment is read before the program can change it. */
static bool begin(void)
{
    if (variable[0] == 0 &&
        !hs_rec_environment_find(environ, HS_REC_VARIABLE, variable, sizeof variable)) {
        return false;
    }
    if (hs_rec_own != &nothing) {
        return true;
    }
    hs_rec_own_t *page = hs_rec_map(-1, 0, 4096);
    if (page == NULL) {
        return false;
    }
    (void)hs_rec_wipe_on_fork(page, 4096);
    atomic_store(&page->busy, 1u); /* by this thread, as the page before it */
    hs_rec_own = page;
    if (__register_atfork != NULL) {
        (void)__register_atfork(before_fork, in_parent, in_child, NULL);
    } else if (pthread_atfork != NULL) {
        (void)pthread_atfork(before_fork, in_parent, in_child);
    }
    return true;
}

static hs_rec_ring_t *process_enter(void)
{
    if (atomic_exchange(&hs_rec_own->busy, 1u) != 0) {
        return NULL; /* another thread is at it */
    }
    hs_rec_own_t *before = hs_rec_own;
    hs_rec_inside_begin(); /* pthread_atfork may ask for memory */
    if (hs_rec_own->ring == NULL && (!begin() || !take_ring())) {
        atomic_store(&off, 1u);
    } else {
        hs_rec_environment_begin(control);
    }
    hs_rec_inside_end();
    atomic_store(&before->busy, 0u);
    atomic_store(&hs_rec_own->busy, 0u);
    return hs_rec_own->ring;
}

hs_rec_ring_t *hs_rec_enter(void)
{
    static _Thread_local hs_rec_ring_t *known; /* where the thread has its number */
    if (hs_rec_thread.inside != 0 || atomic_load_explicit(&off, memory_order_relaxed) != 0 ||
        environ == NULL) {
        return NULL;
    }
    hs_rec_ring_t *ring = hs_rec_own->ring;
    if (ring == NULL) {
        ring = process_enter();
        hs_rec_stacks_forget(); /* a fork's child: nothing of them is in its trace */
        hs_rec_modules_forget();
    }
    if (ring == NULL) {
        return NULL;
    }
    if (known == ring && hs_rec_thread.ring == NO_RING) { /* out of an inside */
        hs_rec_thread.ring = ring;
        return ring;
    }
    thread_enter(ring);
    known = ring; /* not before: a signal's handler may be here, too */
    return ring;
}

#if HS_REC_IS_ATTACHED

bool hs_rec_session_is_on(void)
{
    return hs_rec_own->ring != NULL && !hs_rec_recorder_gone();
}

bool hs_rec_session_prepare(const char *path)
{
    hs_rec_session_leave();
    if (strlen(path) >= sizeof variable) {
        return false;
    }
    memcpy(variable, path, strlen(path) + 1);
    control = NULL; /* an earlier one stays mapped: other threads may be looking at it */
    forked.known = forked.here = begun_by = 0;
    const int descriptor = hs_rec_open(variable, true);
    if (descriptor < 0) {
        return false;
    }
    const bool hit = map_control(descriptor);
    hs_rec_close(descriptor);
    return hit;
}

bool hs_rec_session_join(void)
{
    atomic_store(&off, 0u);
    return hs_rec_enter() != NULL;
}

void hs_rec_session_leave(void)
{
    stop();
}

#else

/* An image is seen even if it asks for no memory; and before main, where a first record would be. */
__attribute__((constructor)) static void enter_early(void)
{
    (void)hs_rec_enter();
}

#endif

void hs_rec_put_text(const char *text, size_t length)
{
    for (size_t at = 0; at < length; at += 24) {
        uint64_t piece[3] = {0, 0, 0};
        memcpy(piece, text + at, length - at < 24 ? length - at : 24);
        hs_rec_put(HS_REC_TEXT, piece[0], piece[1], piece[2], 0);
    }
}
