#include "listen/notices.h"

static hs_status_t put(hs_notices_t *notices, const hs_lab_notice_t *notice)
{
    return hs_queue_put(&notices->waiting, notice, sizeof *notice);
}

hs_status_t hs_notices_begin(hs_notices_t *notices, uint64_t text)
{
    notices->lost = notices->reported_by_chunk = notices->left_out = 0;
    return put(notices, &(hs_lab_notice_t){.kind = HS_LAB_NOTICE_BEGIN, .text = text, .count = 1});
}

hs_status_t hs_notices_late_start(hs_notices_t *notices, uint64_t text)
{
    return put(notices,
               &(hs_lab_notice_t){.kind = HS_LAB_NOTICE_LATE_START, .text = text, .count = 1});
}

hs_status_t hs_notices_stopped(hs_notices_t *notices, uint32_t index, const hs_lab_owner_t *holder,
                               uint64_t text)
{
    hs_lab_notice_t notice = {
        .kind = HS_LAB_NOTICE_STOPPED, .text = text, .count = 1, .index = index};
    if (holder != NULL) {
        notice.owned = 1;
        notice.task = holder->task;
        notice.site = holder->site;
        notice.size = holder->live;
        notice.blocks = holder->blocks;
    }
    return put(notices, &notice);
}

hs_status_t hs_notices_gap(hs_notices_t *notices, uint64_t lost, uint64_t text)
{
    if (lost <= notices->lost) {
        return HS_OK;
    }
    const hs_lab_notice_t notice = {
        .kind = HS_LAB_NOTICE_LOST, .text = text, .count = lost - notices->lost};
    notices->lost = lost;
    return put(notices, &notice);
}

/* Its kinds stand in front of a LOST record: some of its events may have been left out on purpose. */
static hs_status_t lost_take(hs_notices_t *notices, const hs_event_t *event,
                             const hs_lab_listened_t *sums)
{
    const uint64_t left_out = sums->left_out - notices->left_out;
    notices->left_out = sums->left_out;
    notices->reported_by_chunk += event->size;
    const hs_lab_notice_t notice = {.kind = HS_LAB_NOTICE_LOST,
                                    .text = sums->text_bytes,
                                    .count = event->size -
                                             (left_out < event->size ? left_out : event->size)};
    return notice.count == 0 ? HS_OK : put(notices, &notice);
}

/* The notice before it, when it tells of the same failed request. */
static hs_lab_notice_t *alike(const hs_notices_t *notices, const hs_lab_notice_t *notice)
{
    const hs_queue_t *waiting = &notices->waiting;
    if (hs_queue_waiting(waiting) == 0) {
        return NULL;
    }
    hs_lab_notice_t *last = (hs_lab_notice_t *)(void *)(waiting->bytes + waiting->used) - 1;
    const bool same = last->kind == notice->kind && last->text == notice->text &&
                      last->size == notice->size && last->task == notice->task &&
                      last->site == notice->site;
    return same ? last : NULL;
}

static hs_status_t failed_take(hs_notices_t *notices, const hs_event_t *event, uint64_t text)
{
    const hs_lab_notice_t notice = {.kind = HS_LAB_NOTICE_FAILED,
                                    .text = text,
                                    .count = 1,
                                    .size = event->size,
                                    .owned = 1,
                                    .task = event->task,
                                    .site = event->site};
    hs_lab_notice_t *before = alike(notices, &notice);
    if (before == NULL) {
        return put(notices, &notice);
    }
    before->count++;
    return HS_OK;
}

hs_status_t hs_notices_event(hs_notices_t *notices, const hs_event_t *event,
                             const hs_lab_listened_t *sums)
{
    switch (event->kind) {
    case HS_EVENT_FAILED:
        return failed_take(notices, event, sums->text_bytes);
    case HS_EVENT_MARK:
        return put(notices, &(hs_lab_notice_t){.kind = HS_LAB_NOTICE_MARK,
                                               .text = sums->text_bytes,
                                               .count = 1,
                                               .index = (uint32_t)event->key});
    case HS_EVENT_LOST:
        return lost_take(notices, event, sums);
    case HS_EVENT_SNAPSHOT: /* the totals in front of it may tell of a LOST that did not arrive */
        notices->left_out = sums->left_out;
        return HS_OK;
    default:
        return HS_OK;
    }
}

hs_status_t hs_notices_chunk_end(hs_notices_t *notices, uint64_t lost, uint64_t text)
{
    notices->lost += notices->reported_by_chunk;
    notices->reported_by_chunk = 0;
    return hs_notices_gap(notices, lost, text);
}
