"""Broken in the replay of recorded pools, its advice, and the experiment on them."""

from __future__ import annotations

from mutant import Mutant

REPLAY = "tests/lab/pools/test_pools_replay.py"
ADVICE = "tests/lab/pools/test_pools_advice.py"
DUMP = "tests/lab/pools/test_import_pjsip.py"
ICE = "tests/lab/experiments/test_ice_pools.py"

POOL_TRACE = (
    Mutant(
        "growth of recorded pools",
        "a growth needs no room for the alignment",
        "native/pools/pools.c",
        "bytes + replay->rule->block + replay->rule->align;",
        "bytes + replay->rule->block;",
        REPLAY,
    ),
    Mutant(
        "growth of recorded pools",
        "the oldest block is looked at first",
        "native/pools/pools.c",
        "for (uint32_t i = pool->blocks; i-- > 0;) {",
        "for (uint32_t i = 0; i < pool->blocks; i++) {",
        REPLAY,
    ),
    Mutant(
        "what if of pools",
        "a first block is as large as it is asked for",
        "native/pools/pools.c",
        "first = again ? pool->first : rounded(replay->rule, replay->sizes.initial);",
        "first = again ? pool->first : replay->sizes.initial;",
        REPLAY,
    ),
    Mutant(
        "what if of pools",
        "an emptied pool asks for its first block again",
        "native/pools/pools.c",
        "replay->totals->calls += !again;",
        "replay->totals->calls++;",
        REPLAY,
    ),
    Mutant(
        "advice on pools",
        "pools whose sizes stay are not counted",
        "src/heapscope/pools/advise.py",
        "        held = self.rest.copy()\n",
        "        held = 0 * self.rest\n",
        ADVICE,
    ),
    Mutant(
        "advice on pools",
        "only the first trace's peak counts",
        "src/heapscope/pools/advise.py",
        "np.maximum.reduceat(held, self.starts, axis=-1).sum(axis=-1)",
        "np.maximum.reduceat(held, self.starts, axis=-1)[..., 0]",
        ADVICE,
    ),
    Mutant(
        "ice-pools",
        "the advice is looked for without growth in small steps",
        "src/heapscope/pools/advise.py",
        "*range(64, 1024, 16)",
        "*range(64, 1024, 320)",
        ICE,
    ),
    Mutant(
        "ice-pools",
        "utilisation and bytes of the mark before",
        "src/heapscope/experiments/ice_pools/recorded.py",
        "int(self.now.used[place]), int(self.now.allocated[place])",
        "int(self.now.used[place - 9]), int(self.now.allocated[place - 9])",
        ICE,
    ),
    Mutant(
        "import of a pool dump",
        "what is gone is released after what came",
        "native/capture/form_pjsip.c",
        "    hs_status_t status = given_back(form, import);\n    if (status == HS_OK) {\n"
        "        status = taken(form, import);\n    }\n",
        "    hs_status_t status = taken(form, import);\n    if (status == HS_OK) {\n"
        "        status = given_back(form, import);\n    }\n",
        DUMP,
    ),
)
