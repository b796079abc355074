/* Requests that are asked about while a device is heard: would they be served now, and who is in the way? */
#include "heapscope/regions.h"
#include "lab/listener.h"

enum { NO, YES, UNKNOWN };

/* How it is known is HS_LAB_BY_NOBODY where it is not. */
typedef struct answer {
    uint64_t largest;
    uint32_t fits, by;
} answer_t;

static const answer_t UNANSWERED = {HS_LAB_NEVER, UNKNOWN, HS_LAB_BY_NOBODY};

int hs_lab_listener_watch(hs_lab_listener_t *listener, const hs_lab_need_t *needs, uint32_t count)
{
    if (count > HS_LAB_NEEDS_MAX) {
        return HS_ERR_ARGUMENT;
    }
    for (uint32_t i = 0; i < count; i++) {
        listener->replay.needs[i] = needs[i];
        listener->last_fits[i] = UNKNOWN;
        listener->watched[i] = (hs_lab_watched_t){
            .largest = HS_LAB_NEVER, .size = needs[i].size, .caps = needs[i].caps, .fits = UNKNOWN};
    }
    listener->watched_count = listener->replay.config.need_count = count;
    return HS_OK;
}

int hs_lab_listener_replay(hs_lab_listener_t *listener, const hs_lab_config_t *config,
                           uint32_t *where)
{
    return (int)hs_live_replay_begin(&listener->replay, config, where);
}

int hs_lab_listener_replay_chunks(hs_lab_listener_t *listener, const uint8_t *bytes, size_t count)
{
    hs_status_t status = HS_OK;
    for (size_t at = 0; at + HS_CHUNK_HEADER < count && status == HS_OK;) {
        const size_t size = hs_listener_chunk_size(bytes + at);
        status = size > count - at ? HS_ERR_FORMAT
                                   : hs_live_replay_chunk(&listener->replay, bytes + at, size);
        at += size;
    }
    return (int)status;
}

/* Those that a request with these capabilities may be served from, to the front; returns how many. Plain
 * malloc takes those with DEFAULT; where no region has it, all that bytes can be in, or else all. */
static size_t candidates(hs_heard_region_t *regions, size_t count, uint32_t caps)
{
    static const uint32_t of_malloc[] = {HS_CAP_DEFAULT, HS_CAP_8BIT, 0};
    size_t kept = 0;
    for (size_t i = 0; i < 3 && kept == 0; i++) {
        const uint32_t wanted = caps != 0 ? caps : of_malloc[i];
        for (size_t region = 0; region < count; region++) {
            if ((regions[region].row.caps & wanted) == wanted) {
                regions[kept++] = regions[region];
            }
        }
    }
    return kept;
}

static size_t spans_of(const hs_lab_listener_t *listener, uint32_t caps,
                       hs_heard_region_t regions[HS_LAB_REGIONS_MAX],
                       hs_span_t spans[HS_LAB_REGIONS_MAX])
{
    const size_t count = candidates(regions, hs_heard_regions(listener, regions), caps);
    for (size_t i = 0; i < count; i++) {
        spans[i] = hs_heard_span(&regions[i]);
    }
    return count;
}

/* Between the live blocks is at most so much room: that it does not fit is then sure. That it fits is the
 * heap's word, as of when it spoke. */
static answer_t heard_answer(const hs_lab_listener_t *listener, const hs_lab_watched_t *watched,
                             bool known)
{
    hs_heard_region_t regions[HS_LAB_REGIONS_MAX];
    hs_span_t spans[HS_LAB_REGIONS_MAX];
    const size_t count = spans_of(listener, watched->caps, regions, spans);
    uint64_t room = 0, largest = 0;
    size_t reported = 0;
    for (size_t i = 0; i < count; i++) {
        const uint64_t stretch = hs_live_blocks_room(&listener->blocks, spans[i]);
        const uint64_t figure = regions[i].row.largest;
        room = stretch > room ? stretch : room;
        if (figure != HS_LAB_NEVER) {
            largest = figure > largest ? figure : largest;
            reported++;
        }
    }
    if (count != 0 && known && room < watched->size) {
        return (answer_t){room, NO, HS_LAB_BY_BLOCKS};
    }
    if (reported != 0 && largest >= watched->size) {
        return (answer_t){largest, YES, HS_LAB_BY_HEAP};
    }
    return reported != 0 && reported == count ? (answer_t){largest, NO, HS_LAB_BY_HEAP}
                                              : UNANSWERED;
}

static answer_t replayed_answer(hs_live_replay_t *replay, uint32_t index)
{
    answer_t answer = UNANSWERED;
    answer.by = hs_live_replay_by(replay);
    if (answer.by != HS_LAB_BY_NOBODY) {
        uint32_t largest;
        answer.fits = hs_live_replay_fits(replay, index, &largest) ? YES : NO;
        answer.largest = largest;
    }
    return answer;
}

static void notice(hs_lab_listener_t *listener, uint32_t index)
{
    hs_lab_owner_t holder;
    const size_t holders = hs_lab_listener_in_the_way(listener, index, &holder, 1);
    const hs_status_t status =
        hs_notices_stopped(&listener->notices, index, holders == 0 ? NULL : &holder,
                           listener->account.sums.text_bytes);
    listener->status = listener->status == HS_OK ? status : listener->status;
}

/* How often it stopped fitting: a replay looks after each event, else each look counts. */
static void take(hs_lab_listener_t *listener, uint32_t index, answer_t answer)
{
    hs_lab_watched_t *watched = &listener->watched[index];
    const bool stops = answer.fits == NO && listener->last_fits[index] != NO;
    const uint64_t before = watched->stopped;
    watched->stopped = listener->replay.reader != NULL
                           ? hs_live_replay_spells(&listener->replay, index)
                           : watched->stopped + stops;
    watched->fits = answer.fits;
    watched->by = answer.by;
    watched->largest = answer.largest;
    listener->last_fits[index] = answer.fits == UNKNOWN ? listener->last_fits[index] : answer.fits;
    if (watched->stopped > before) {
        notice(listener, index);
    }
}

void hs_watched_look(hs_lab_listener_t *listener)
{
    if (listener->watched_count == 0) {
        return;
    }
    const bool replayed = listener->replay.reader != NULL;
    const bool known = !replayed && hs_heard_blocks(listener);
    for (uint32_t i = 0; i < listener->watched_count; i++) {
        take(listener, i,
             replayed ? replayed_answer(&listener->replay, i)
                      : heard_answer(listener, &listener->watched[i], known));
    }
}

size_t hs_lab_listener_watched(const hs_lab_listener_t *listener, hs_lab_watched_t *rows,
                               size_t capacity)
{
    for (uint32_t i = 0; i < listener->watched_count && i < capacity; i++) {
        rows[i] = listener->watched[i];
    }
    return listener->watched_count;
}

size_t hs_lab_listener_in_the_way(hs_lab_listener_t *listener, size_t index, hs_lab_owner_t *rows,
                                  size_t capacity)
{
    if (index >= listener->watched_count || listener->watched[index].fits != NO ||
        !hs_heard_blocks(listener)) {
        return 0;
    }
    hs_heard_region_t regions[HS_LAB_REGIONS_MAX];
    hs_span_t spans[HS_LAB_REGIONS_MAX];
    const hs_lab_watched_t *watched = &listener->watched[index];
    const size_t count = spans_of(listener, watched->caps, regions, spans);
    const hs_live_blocks_t blocks =
        hs_live_blocks_in_the_way(&listener->blocks, spans, count, watched->size);
    hs_owners_t owners = {0};
    if (hs_owners_take(&owners, &blocks) != HS_OK) {
        return 0;
    }
    hs_owners_rank(&owners);
    const size_t found = owners.count;
    for (size_t i = 0; i < found && i < capacity; i++) {
        rows[i] = owners.rows[i];
    }
    hs_owners_free(&owners);
    return found;
}
