"""Broken in the replay of recorded pools, its advice, and the experiment on them."""

from __future__ import annotations

from mutant import Mutant

REPLAY = "tests/lab/pools/test_pools_replay.py"
ADVICE = "tests/lab/pools/test_pools_advice.py"
COMMAND = "tests/lab/pools/test_pools_command.py"
DUMP = "tests/lab/pools/test_import_pjsip.py"
ICE = "tests/studies/test_ice_pools.py"

POOL_TRACE = (
    Mutant(
        "growth of recorded pools",
        "a growth needs no room for the alignment",
        "lab/native/pools/pools.c::growth",
        "bytes + replay->rule->block + replay->rule->align;",
        "bytes + replay->rule->block;",
        REPLAY,
    ),
    Mutant(
        "growth of recorded pools",
        "the oldest block is looked at first",
        "lab/native/pools/pools.c::take",
        "for (uint32_t i = pool->blocks; i-- > 0;) {",
        "for (uint32_t i = 0; i < pool->blocks; i++) {",
        REPLAY,
    ),
    Mutant(
        "what if of pools",
        "a first block is as large as it is asked for",
        "lab/native/pools/pools.c::create",
        "first = again ? pool->first : rounded(replay->rule, replay->sizes.initial);",
        "first = again ? pool->first : replay->sizes.initial;",
        REPLAY,
    ),
    Mutant(
        "what if of pools",
        "an emptied pool asks for its first block again",
        "lab/native/pools/pools.c::create",
        "replay->totals->calls += !again;",
        "replay->totals->calls++;",
        REPLAY,
    ),
    Mutant(
        "advice on pools",
        "pools whose sizes stay are not counted",
        "lab/heapscope/answers/pools/advise.py::_Search.held",
        "held = self.rest.copy()",
        "held = 0 * self.rest",
        ADVICE,
    ),
    Mutant(
        "advice on pools",
        "only the first trace's peak counts",
        "lab/heapscope/answers/pools/advise.py::_Search.peaks",
        "np.maximum.reduceat(held, self.starts, axis=-1).sum(axis=-1)",
        "np.maximum.reduceat(held, self.starts, axis=-1)[..., 0]",
        ADVICE,
    ),
    Mutant(
        "advice on pools",
        "no first block is larger than what is used",
        "lab/heapscope/answers/pools/advise.py::_up_to",
        "bisect.bisect_left(sizes, most) + 1",
        "bisect.bisect_left(sizes, most)",
        ADVICE,
    ),
    Mutant(
        "advice on pools",
        "a limit of calls is none",
        "lab/heapscope/answers/pools/advise.py::_descent",
        "score[one.calls > spare] = np.inf",
        "score[one.calls > spare] += 0",
        ADVICE,
    ),
    Mutant(
        "advice on pools",
        "sizes that stay in one trace change in another",
        "lab/heapscope/answers/pools/groups.py::agreed",
        "free=group.name not in fixed",
        "free=group.free",
        ADVICE,
    ),
    Mutant(
        "advice on pools",
        "an increment is told only where the option's name has _LEN_",
        "lab/heapscope/answers/pools/groups.py::_LENGTH",
        'r"_LEN(?=_|$)"',
        'r"_LEN(?=_)"',
        COMMAND,
    ),
    Mutant(
        "replay of recorded pools",
        "events of pools that were never created count as nothing",
        "lab/heapscope/answers/pools/account.py::_doubts",
        "stray = totals.stray + int(",
        "stray = totals.stray + 0 * int(",
        COMMAND,
    ),
    Mutant(
        "ice-pools",
        "the advice is looked for without growth in small steps",
        "lab/heapscope/answers/pools/advise.py::_pairs",
        "*range(64, 1024, 16)",
        "*range(64, 1024, 320)",
        ICE,
    ),
    Mutant(
        "ice-pools",
        "utilisation and bytes of the mark before",
        "studies/heapscope_studies/ice_pools/recorded.py::Call._at",
        "int(self.now.used[place]), int(self.now.allocated[place])",
        "int(self.now.used[place - 9]), int(self.now.allocated[place - 9])",
        ICE,
    ),
    Mutant(
        "import of a pool dump",
        "what is gone is released after what came",
        "lab/native/capture/form_pjsip.c::finish_dump",
        "hs_status_t status = given_back(form, import);\n"
        "if (status == HS_OK) {\n"
        "    status = taken(form, import);\n"
        "}",
        "hs_status_t status = taken(form, import);\n"
        "if (status == HS_OK) {\n"
        "    status = given_back(form, import);\n"
        "}",
        DUMP,
    ),
    Mutant(
        "import of a pool dump",
        "an emptied pool that grew gives back first",
        "lab/native/capture/form_pjsip.c::has_taken",
        "return pool->new_size > pool->size || !has_shrunk(pool);",
        "return !has_shrunk(pool);",
        DUMP,
    ),
    Mutant(
        "import of a pool dump",
        "pools of the dump before count among those of this one",
        "lab/native/capture/form_pjsip.c::seen",
        "count += form->pools[i].seen;",
        "count += 1;",
        DUMP,
    ),
    Mutant(
        "import of a pool dump",
        "the sum of hs_pools_dump() is a pool",
        "lab/native/capture/form_pjsip.c::line",
        'strcmp(match.name, "total") == 0',
        "false",
        DUMP,
    ),
    Mutant(
        "one option of a program's pools",
        "other requests of the same size are left as they were",
        "lab/heapscope/answers/pools/account.py::_with_requests",
        '(trace.events["size"] == size)',
        '(trace.events["size"] > size)',
        "tests/lab/pools/test_pool_requests.py",
    ),
)
