"""Broken in the smallest pool: the search, and what tells how a trace goes on a pool."""

from __future__ import annotations

from mutant import Mutant

SMALLEST_POOL = (
    Mutant(
        "the pool that cannot fail",
        "free blocks between the live ones are left out",
        "lab/native/fit/bound.c::stratum",
        "others + others / least->taken * size->gap",
        "others + others / least->taken * size->taken / 8",
        "tests/native/test_bound.c",
    ),
    Mutant(
        "the pool that cannot fail",
        "a slab counts as the slot that is in it",
        "lab/native/fit/bound.c::hs_bound_size",
        "size <= high + SLACK",
        "size <= high",
        "tests/native/test_bound.c",
    ),
    Mutant(
        "the pool that cannot fail",
        "best fit has classes too",
        "lab/native/fit/bound.c::hs_fit_bound",
        "allocator.model->search == HS_SEARCH_LOWEST;",
        "allocator.model->search != HS_SEARCH_UNKNOWN;",
        "tests/lab/fit/test_provable.py",
    ),
    Mutant(
        "the smallest pool",
        "a size that fails rules out the pool just below it too",
        "lab/heapscope/answers/fit/search.py::_rule_out",
        "ruled_out.update(judged_by(size))",
        "ruled_out.update(judged_by(size), {size - 8})",
        "tests/lab/fit/test_fit_search.py",
    ),
    Mutant(
        "survival on a pool",
        "a key used again counts as an event",
        "lab/native/fit/survive.c::event_of",
        "number += (step_at(fit, i)->what & HS_FIT_EXTRA) == 0;",
        "number++;",
        "tests/native/test_fit.c",
    ),
    Mutant(
        "survival on a pool",
        "a malloc that is undone is always served",
        "lab/native/fit/survive.c::would_take",
        "is_passed_on(run, step) && hs_sim_fits(run->heap, 0, size, 0)",
        "is_passed_on(run, step)",
        "tests/native/test_fit.c",
    ),
    Mutant(
        "survival on a pool",
        "a malloc counts as undone where its block stays",
        "lab/native/fit/load.c::mark_undone",
        "(last->slot & ~HS_FIT_HIGH) == slot",
        "true",
        "tests/native/test_fit.c",
    ),
    Mutant(
        "survival on a pool",
        "TLSF with other bins is alike",
        "lab/models/tlsf_pool.c::hs_tlsf_likeness",
        "size | (tlsf->bins_log2 - TLSF_BINS_LOG2_MIN)",
        "size",
        "tests/models/test_places.c",
    ),
    Mutant(
        "survival on a pool",
        "a survivor answers for smaller pools too",
        "lab/heapscope/native/steps.py::NativeSteps.try_pool",
        "size > least",
        "size != least",
        "tests/lab/fit/test_fit_survival.py",
    ),
)
