#define _GNU_SOURCE /* memfd_create, fallocate */

#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "record/ring.h"
#include "recorder_state.h"

#define PASS_RELEASE 2048u  /* records after which their places are given back */
#define BUSY 2048u          /* records of a pass that call for the next one at once */
#define NAP_MILLISECONDS 5u /* between passes otherwise: as exact is the time of a single event */
#define HOLE_SECONDS 5.0    /* after which a record that holds up a full ring is given up */
#define LIFE_SECONDS 0.02   /* between two looks at who has ended */
#define CLOSE_SECONDS 0.1   /* in which a record that was begun at the end can still be written */

static void copy_text(char *to, size_t capacity, const char *from)
{
    (void)snprintf(to, capacity, "%s", from);
}

/* ---- the shared memory ---- */

static void wake(uint32_t *word)
{
    (void)syscall(SYS_futex, word, FUTEX_WAKE, INT32_MAX, NULL, NULL, 0);
}

/* Sparse, so that a limit on the size of files is not meant for it; a hard one holds all the same. */
static bool size_memory(int memory)
{
    const off_t size = (off_t)hs_rec_ring_offset(HS_REC_PROCESSES);
    struct rlimit before;
    if (ftruncate(memory, size) == 0) {
        return true;
    }
    if (errno != EFBIG || getrlimit(RLIMIT_FSIZE, &before) != 0) {
        return false;
    }
    const struct rlimit raised = {before.rlim_max, before.rlim_max};
    (void)setrlimit(RLIMIT_FSIZE, &raised);
    const int result = ftruncate(memory, size), error = errno;
    (void)setrlimit(RLIMIT_FSIZE, &before);
    errno = error;
    return result == 0;
}

hs_recorder_t *hs_recorder_new(const hs_recorder_config_t *config)
{
    hs_recorder_t *recorder = calloc(1, sizeof *recorder);
    if (recorder == NULL) {
        return NULL;
    }
    recorder->memory = memfd_create("heapscope", MFD_CLOEXEC);
    if (recorder->memory < 0 || !size_memory(recorder->memory)) {
        hs_recorder_delete(recorder);
        return NULL;
    }
    hs_rec_control_t *control =
        mmap(NULL, HS_REC_CONTROL_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, recorder->memory, 0);
    if (control == MAP_FAILED) {
        hs_recorder_delete(recorder);
        return NULL;
    }
    recorder->control = control;
    control->magic = HS_REC_MAGIC;
    control->recorder = (uint32_t)getpid();
    control->modes = config->modes;
    control->frames = config->frames;
    copy_text(control->preload64, sizeof control->preload64, config->preload64);
    copy_text(control->preload32, sizeof control->preload32, config->preload32);
    (void)snprintf(control->variable, sizeof control->variable, "/proc/%ld/fd/%d", (long)getpid(),
                   recorder->memory);
    memcpy(&recorder->known, control, sizeof *control);
    copy_text(recorder->version, sizeof recorder->version, config->version);
    copy_text(recorder->program, sizeof recorder->program, config->program);
    recorder->origin.recorder = recorder->version;
    recorder->origin.has_sites = config->frames;
    recorder->origin.has_addresses = config->addresses;
    recorder->began = recorder->passed = hs_recorder_now();
    return recorder;
}

void hs_recorder_close(hs_recorder_t *recorder)
{
    recorder->closes = true;
    atomic_store(&recorder->control->closed, 1u);
}

void hs_recorder_object(hs_recorder_t *recorder, bool there)
{
    const uint32_t state = there ? HS_REC_OBJECT_READY : HS_REC_OBJECT_NONE;
    atomic_store(&recorder->control->object32, state);
    wake((uint32_t *)(void *)&recorder->control->object32);
}

static void place_leave(hs_recorder_t *recorder, uint32_t number)
{
    hs_rec_taken_t *place = &recorder->places[number];
    if (place->process >= 0) {
        close(place->process);
    }
    munmap(place->ring, HS_REC_RING_BYTES);
    *place = (hs_rec_taken_t){.process = -1};
}

void hs_recorder_delete(hs_recorder_t *recorder)
{
    if (recorder == NULL) {
        return;
    }
    for (uint32_t i = 0; i < HS_REC_PROCESSES; i++) {
        if (recorder->places[i].ring != NULL) {
            place_leave(recorder, i);
        }
    }
    for (size_t i = 0; i < recorder->image_count; i++) {
        hs_rec_image_delete(recorder->images[i].image);
    }
    free(recorder->images);
    hs_rec_forks_clear(&recorder->forks);
    if (recorder->control != NULL) {
        hs_recorder_close(recorder);
        munmap(recorder->control, HS_REC_CONTROL_BYTES);
    }
    if (recorder->memory >= 0) {
        close(recorder->memory);
    }
    free(recorder);
}

int hs_recorder_descriptor(const hs_recorder_t *recorder)
{
    return recorder->memory;
}

hs_rec_control_t *hs_recorder_control(hs_recorder_t *recorder)
{
    return recorder->control;
}

/* ---- places ---- */

static void place_enter(hs_recorder_t *recorder, uint32_t number)
{
    hs_rec_control_t *control = recorder->control;
    hs_rec_ring_t *ring =
        mmap(NULL, HS_REC_RING_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_POPULATE,
             recorder->memory, (off_t)hs_rec_ring_offset(number));
    if (ring == MAP_FAILED) {
        return; /* tried again with the next pass */
    }
    if (ring->pid == 0 || !hs_recorder_parent_passed(recorder, ring)) { /* 0: nobody described it */
        munmap(ring, HS_REC_RING_BYTES);
        return;
    }
    hs_rec_origin_t origin = recorder->origin;
    origin.program = recorder->image_count == 0 ? recorder->program : NULL;
    const hs_rec_fork_t *fork = ring->forked == HS_REC_FORKED
                                    ? hs_rec_forks_find(&recorder->forks, ring->parent_place,
                                                        ring->parent_life, ring->fork_number)
                                    : NULL;
    origin.begun_late = ring->forked != HS_REC_FRESH && fork == NULL;
    origin.paused = fork != NULL ? fork->paused : (recorder->known.modes & HS_REC_PAUSED) != 0;
    hs_rec_image_t *image = hs_rec_image_new(ring, &origin);
    if (image == NULL || !hs_recorder_add(recorder, image)) {
        hs_rec_image_delete(image);
        munmap(ring, HS_REC_RING_BYTES);
        return;
    }
    const int process = hs_recorder_process(ring->pid);
    recorder->places[number] = (hs_rec_taken_t){
        .ring = ring,
        .image = recorder->image_count - 1,
        .life = atomic_load(&control->lives[number]),
        .process = process,
        .ended = process < 0 && errno == ESRCH,
        .emptied = recorder->passed, /* the image was not there yet */
    };
    hs_recorder_take_time(recorder, image, recorder->passed);
    if (fork != NULL) {
        hs_rec_image_inherit(image, fork->list, fork->count);
    }
}

/* Images are entered in the order in which they began: one that exec began may have the place of an
 * earlier one. An image that begins during the look waits for the next one, because the image before
 * it may have been passed. */
static void find_new_places(hs_recorder_t *recorder)
{
    hs_rec_control_t *control = recorder->control;
    const uint32_t begun = atomic_load(&control->begun);
    uint32_t match[HS_REC_PROCESSES], count = 0;
    for (uint32_t i = 0; i < HS_REC_PROCESSES; i++) {
        const uint32_t state = atomic_load_explicit(&control->states[i], memory_order_acquire);
        const uint32_t order = atomic_load(&control->orders[i]);
        if (recorder->places[i].ring != NULL || (int32_t)(order - begun) > 0 ||
            (state != HS_REC_LIVE && state != HS_REC_REPLACED)) {
            continue;
        }
        uint32_t at = count++;
        for (; at > 0 && (int32_t)(atomic_load(&control->orders[match[at - 1]]) - order) > 0;
             at--) {
            match[at] = match[at - 1];
        }
        match[at] = i;
    }
    for (uint32_t i = 0; i < count; i++) {
        place_enter(recorder, match[i]);
    }
}

/* The image is gone: its place is empty memory again, for another. */
static void place_end(hs_recorder_t *recorder, uint32_t number)
{
    hs_rec_entry_t *entry = &recorder->images[recorder->places[number].image];
    const hs_rec_ring_t *ring = recorder->places[number].ring;
    const uint32_t lost = atomic_load(&ring->lost);
    if (entry->image->overwritten == 0) {
        if (lost != 0) { /* dropped since the last record that told of such */
            hs_rec_image_lose(entry->image, lost);
        }
        entry->image->counts.left_out = atomic_load(&ring->left_out);
    }
    entry->phase = HS_RECORDER_OVER;
    recorder->running--;
    place_leave(recorder, number);
    (void)fallocate(recorder->memory, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE,
                    (off_t)hs_rec_ring_offset(number), HS_REC_RING_BYTES);
    atomic_store(&recorder->control->pids[number], 0u);
    atomic_store(&recorder->control->states[number], HS_REC_FREE_PLACE);
}

/* ---- records ---- */

static void give_back(hs_rec_taken_t *place)
{
    place->released = place->next;
    hs_rec_ring_release(place->ring, place->next);
    if (atomic_load(&place->ring->waiting) != 0 &&
        atomic_exchange(&place->ring->waiting, 0u) != 0) {
        wake((uint32_t *)(void *)&place->ring->tail);
    }
}

/* A record was taken and is not written. Its thread is at it, or was killed at it. */
static bool pass_hole(hs_rec_taken_t *place, hs_rec_image_t *image, uint32_t head, bool ended)
{
    if (ended) {
        place->passed = true; /* the next round finds its place as it was */
        return true;          /* the call had not returned to the program */
    }
    if (head - place->next < HS_REC_EVENTS - HS_REC_DROP_ROOM) {
        place->hole_since = 0; /* nobody is held up yet */
        return false;
    }
    if (place->hole_since == 0 || hs_recorder_is_stopped(place->ring->pid)) {
        place->hole_since = hs_recorder_now(); /* of the time in which it could have been written */
    }
    if (hs_recorder_now() - place->hole_since < HOLE_SECONDS) {
        return false;
    }
    place->passed = true;
    hs_rec_image_lose(image, 1); /* and a hole that follows is given up at once */
    return true;
}

static void give_no_more(hs_rec_image_t *image)
{
    if (image->overwritten == 0) {
        image->overwritten = 1;
        hs_rec_image_lose(image, 1); /* or more */
    }
}

/* The program wrote over the ring: nothing more of it is believed, and its threads are let pass. */
static void give_up(hs_recorder_t *recorder, uint32_t number, uint32_t head, bool ended)
{
    hs_rec_taken_t *place = &recorder->places[number];
    hs_rec_image_t *image = recorder->images[place->image].image;
    give_no_more(image);
    place->next = head;
    give_back(place);
    wake((uint32_t *)(void *)&place->ring->tail);
    if (place->closing || ended) {
        place_end(recorder, number);
    }
}

static void take_record(hs_recorder_t *recorder, uint32_t number, hs_rec_image_t *image,
                        const hs_rec_event_t *record)
{
    if ((record->meta & 31u) == HS_REC_TIME) {
        hs_recorder_take_time(recorder, image, (double)record->a * 1e-6);
    } else if ((record->meta & 31u) == HS_REC_FORK) {
        hs_rec_forks_keep(&recorder->forks, number, recorder->places[number].life,
                          recorder->places[number].next, &image->blocks, image->paused);
    } else {
        hs_rec_image_take_record(image, record);
    }
}

static uint64_t drain(hs_recorder_t *recorder, uint32_t number)
{
    hs_rec_taken_t *place = &recorder->places[number];
    hs_rec_image_t *image = recorder->images[place->image].image;
    const bool ended =
        place->ended || atomic_load(&recorder->control->states[number]) == HS_REC_REPLACED;
    const double looked = hs_recorder_now();
    const uint32_t head = atomic_load_explicit(&place->ring->head, memory_order_acquire);
    const uint32_t first = place->next;
    if (image->overwritten != 0 || !hs_recorder_ring_is_sound(recorder, place, head)) {
        give_up(recorder, number, head, ended);
        return 0;
    }
    uint32_t last = head - first > HS_REC_EVENTS && !ended ? first + HS_REC_EVENTS : head;
    if (place->closing && (int32_t)(last - place->until) > 0) {
        last = place->until;
    }
    hs_recorder_take_time(recorder, image, place->emptied);
    while (place->next != last) {
        const hs_rec_event_t *record = hs_rec_ring_read(place->ring, place->next);
        if (record != NULL ? !hs_recorder_record_is_sound(recorder, place, record)
                           : !hs_recorder_hole_is_sound(place)) {
            give_up(recorder, number, head, ended);
            return place->next - first;
        }
        if (record != NULL) {
            place->hole_since = 0;
            take_record(recorder, number, image, record);
        } else if (place->closing && !ended) {
            if (hs_recorder_now() - recorder->closed > CLOSE_SECONDS) {
                place->until = place->next; /* all that came before it is there */
            }
            break;
        } else if (!pass_hole(place, image, head, ended)) {
            break;
        }
        place->next++;
        place->round |= place->next == HS_REC_EVENTS;
        if ((place->next & (PASS_RELEASE - 1u)) == 0) {
            give_back(place);
        }
    }
    const uint32_t taken = place->next - first;
    place->emptied = place->next == head ? looked : place->emptied;
    if (taken != 0) {
        give_back(place);
    }
    if (place->closing ? place->next == place->until : ended && place->next == last) {
        image->cut = place->closing;
        place_end(recorder, number);
    }
    return taken;
}

/* The end of the recording for those that still run: no record is taken that begins after it. */
static void close_places(hs_recorder_t *recorder)
{
    if (recorder->closed == 0) {
        recorder->closed = hs_recorder_now();
    }
    for (uint32_t i = 0; i < HS_REC_PROCESSES; i++) {
        hs_rec_taken_t *place = &recorder->places[i];
        if (place->ring != NULL && !place->closing && !place->ended &&
            atomic_load(&recorder->control->states[i]) != HS_REC_REPLACED) {
            place->closing = true;
            place->until = atomic_load_explicit(&place->ring->head, memory_order_acquire);
        }
    }
}

/* The program wrote over what all its processes share; which of them it was is not known. */
static void overwrite_all(hs_recorder_t *recorder)
{
    recorder->overwritten = true;
    for (uint32_t i = 0; i < HS_REC_PROCESSES; i++) {
        const hs_rec_taken_t *place = &recorder->places[i];
        if (place->ring != NULL) {
            hs_rec_image_t *image = recorder->images[place->image].image;
            give_no_more(image);
        }
    }
}

static uint64_t pass(hs_recorder_t *recorder)
{
    uint64_t taken = 0;
    find_new_places(recorder);
    const double time = hs_recorder_now();
    const bool closed = atomic_load(&recorder->control->closed) != 0;
    if (!hs_recorder_control_is_ours(recorder)) {
        overwrite_all(recorder);
    }
    if (time - recorder->looked > LIFE_SECONDS || closed) {
        recorder->looked = time;
        hs_recorder_look_at_life(recorder);
    }
    if (closed) {
        close_places(recorder);
    }
    for (uint32_t i = 0; i < HS_REC_PROCESSES; i++) {
        if (recorder->places[i].ring != NULL) {
            taken += drain(recorder, i);
        }
    }
    recorder->passed = time;
    return taken;
}

static void nap(hs_recorder_t *recorder, uint32_t bell, double seconds)
{
    const double most = NAP_MILLISECONDS * 1e-3;
    const double length = seconds < most ? seconds : most;
    const struct timespec limit = {0, (long)(length * 1e9)};
    (void)syscall(SYS_futex, (uint32_t *)(void *)&recorder->control->bell, FUTEX_WAIT, bell, &limit,
                  NULL, 0);
}

bool hs_recorder_is_overwritten(const hs_recorder_t *recorder)
{
    return recorder->overwritten;
}

uint64_t hs_recorder_pump(hs_recorder_t *recorder, uint32_t milliseconds)
{
    const double until = hs_recorder_now() + milliseconds * 1e-3;
    uint64_t taken = 0;
    for (;;) {
        const uint32_t bell = atomic_load(&recorder->control->bell);
        const uint64_t some = pass(recorder);
        taken += some;
        const double time = hs_recorder_now();
        if (time >= until || hs_recorder_has_news(recorder)) {
            return taken;
        }
        if (some < BUSY) {
            nap(recorder, bell, until - time);
        }
    }
}
