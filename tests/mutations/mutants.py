"""What is broken on purpose, and who has to notice."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["MUTANTS", "Mutant"]


@dataclass(frozen=True)
class Mutant:
    figure: str  # the figure that the code carries
    title: str
    file: str
    old: str  # stands once in the file
    new: str
    test: str  # a C test program or a pytest file that must fail


ORACLE = "tests/native/test_oracle.c"
MEASURE = "tests/native/test_measure.c"
REGIONS = "tests/native/test_regions.c"
BLOCKS = "tests/native/test_blocks.c"
RUN = "tests/lab/replay/test_replay_run.py"
CHIPS = "tests/lab/layout/test_chips.py"
DEMO = "tests/lab/demo/test_demo.py"

MUTANTS = (
    Mutant(
        "digest",
        "one byte of each result left out",
        "native/replay/heap_events.c",
        "    digest = (digest ^ (value >> 24)) * FNV_PRIME;\n",
        "",
        ORACLE,
    ),
    Mutant(
        "digest of idf-5.5",
        "a request is not rounded up to its bin",
        "models/idf_5_5.c",
        "tlsf->keeps_rounding = true;",
        "tlsf->keeps_rounding = false;",
        ORACLE,
    ),
    Mutant(
        "digest of idf-5.5",
        "regions up to 16 KB with four times the bins",
        "models/idf_5_5.c",
        "    if (inside <= 16384) {\n        return 3;",
        "    if (inside <= 16384) {\n        return 4;",
        "tests/models/test_create.c",
    ),
    Mutant(
        "live payload",
        "a realloc counts the new block twice",
        "native/measure/measure.c",
        "    lose(measure, before);\n",
        "",
        MEASURE,
    ),
    Mutant(
        "minimum of largest_allocatable",
        "kept too high by one branch",
        "native/measure/lows.c",
        "    if (largest < low->minimum_largest) {",
        "    if (largest < low->minimum_largest && largest > 1000) {",
        MEASURE,
    ),
    Mutant(
        "minimum free",
        "the dip inside a moving realloc is ignored",
        "native/measure/lows.c",
        "note_free(low, lowest, event) |",
        "note_free(low, free, event) |",
        MEASURE,
    ),
    Mutant(
        "minimum free of several regions",
        "every other region's change is dropped",
        "native/measure/lows.c",
        "        low->free += change->free;",
        "        low->free += i % 2 != 0 ? change->free : 0;",
        MEASURE,
    ),
    Mutant(
        "peak per task and kind",
        "half of a payload counts",
        "native/measure/owners.h",
        "    row->payload += payload;",
        "    row->payload += payload / 2;",
        MEASURE,
    ),
    Mutant(
        "headroom",
        "a margin of 0 counts as short",
        "native/measure/headroom.c",
        "headroom->by_largest ? margin < 0",
        "headroom->by_largest ? margin <= 0",
        MEASURE,
    ),
    Mutant(
        "headroom",
        "the first short event is forgotten",
        "native/measure/headroom.h",
        "        row->first_event = event;",
        "        row->first_event = event + 1;",
        MEASURE,
    ),
    Mutant(
        "timeline",
        "a merge keeps the later bucket alone",
        "native/measure/timeline.c",
        "        to->most[s] = most > later->most[s] ? most : later->most[s];",
        "        to->most[s] = later->most[s];",
        MEASURE,
    ),
    Mutant(
        "parts of a region",
        "poisoning is counted as rounding",
        "native/measure/rows.c",
        "    row->rounding = tally->used - poison - row->startup - row->payload;",
        "    row->rounding = tally->used - row->startup - row->payload;",
        MEASURE,
    ),
    Mutant(
        "choice of a region",
        "priorities are tried in reverse",
        "native/replay/regions.c",
        "(region->caps[priority] & wanted) != 0",
        "(region->caps[2 - priority] & wanted) != 0",
        REGIONS,
    ),
    Mutant(
        "choice of a region",
        "one capability in common is enough",
        "native/replay/regions.c",
        "(all_caps(region) & wanted) == wanted",
        "(all_caps(region) & wanted) != 0",
        REGIONS,
    ),
    Mutant(
        "start-up use",
        "what a region cannot take is dropped",
        "native/replay/setup.c",
        "            left -= size;",
        "            left = 0;",
        REGIONS,
    ),
    Mutant(
        "real devices' cases",
        "fits looks at half the size",
        "native/replay/regions.c",
        "           hs_sim_fits(region->heap, request->align, size, 0);",
        "           hs_sim_fits(region->heap, request->align, size / 2, 0);",
        REGIONS,
    ),
    Mutant(
        "list order of ESP-IDF 5.5",
        "regions stay in the order of the map",
        "src/heapscope/layout/memory.py",
        'self.version.order == "size"',
        'self.version.order == "map"',
        CHIPS,
    ),
    Mutant(
        "388804 bytes free at start",
        "start-up use doubled",
        "src/heapscope/data/chips/esp32.toml",
        "startup_use = 15504",
        "startup_use = 31008",
        CHIPS,
    ),
    Mutant(
        "double free told from unknown",
        "every free of nothing is a double free",
        "native/replay/heap_events.c",
        "event->key < replay->next_key;",
        "true;",
        RUN,
    ),
    Mutant(
        "blocks found by identity",
        "removal leaves a hole",
        "native/replay/blocks.c",
        "        if (((i - home(blocks, slots[i].hash)) & mask) >= ((i - hole) & mask)) {",
        "        if (i == hole) {",
        BLOCKS,
    ),
    Mutant(
        "what stayed",
        "blocks are born at event 0",
        "native/replay/heap_events.c",
        "    block->origin.birth = number;",
        "    block->origin.birth = 0;",
        "tests/lab/leaks/test_leaks.py",
    ),
    Mutant(
        "the tightest moment",
        "the old block of a move is left out",
        "native/measure/measure.c",
        "    sum.moving = sum.free - measure->malloc_low->minimum_free;",
        "    sum.moving = 0;",
        "tests/native/test_regressions.c",
    ),
    Mutant(
        "aligned blocks that move",
        "the new block stays marked aligned",
        "native/replay/regions.c",
        "            place->aligned = request->align != 0;",
        "            place->aligned = true;",
        "tests/native/test_regressions.c",
    ),
    Mutant(
        "the demo's answer",
        "one event of every 1000 is dropped",
        "native/replay/replay.c",
        "        } else if (number < replay->pause) {",
        "        } else if (number % 1000 == 999) {\n"
        "            number++;\n"
        "        } else if (number < replay->pause) {",
        DEMO,
    ),
)
