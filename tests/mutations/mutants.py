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
AROUND = "tests/models/test_around.c"
OWN = "tests/native/test_heapscope.c"
REGIONS = "tests/native/test_regions.c"
BLOCKS = "tests/native/test_blocks.c"
RUN = "tests/lab/replay/test_replay_run.py"
CHIPS = "tests/lab/layout/test_chips.py"
DEMO = "tests/lab/demo/test_demo.py"
SURVEY = "tests/native/test_survey.c"
PLACEMENT = "tests/native/test_placement.c"
SHADOW = "tests/lab/place/test_place_shadow.py"
HEAP_CHANGE = "tests/lab/experiments/test_heap_change.py"
EMULATION = "tests/device/test_emulation.py"
EMULATED_HEAP = "tests/device/test_emulated_heap.py"
WHY = "tests/lab/why/test_why_changes.py"

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
        "    row->rounding = tally->used - around - row->startup - row->payload;",
        "    row->rounding = tally->used - row->startup - row->payload;",
        MEASURE,
    ),
    Mutant(
        "parts of a region",
        "every flavour counts as light poisoning",
        "native/measure/rows.c",
        "hs_sim_overhead(region->heap) * tally->used_blocks",
        "12 * tally->used_blocks",
        MEASURE,
    ),
    Mutant(
        "cost of task tracking",
        "the task takes 8 bytes",
        "models/sim.c",
        "#define TASK_HANDLE UINT32_C(4)",
        "#define TASK_HANDLE UINT32_C(8)",
        AROUND,
    ),
    Mutant(
        "digest of heapscope",
        "the host's memory lies anywhere",
        "models/sim.c",
        "heap->mem += ((size_t)heap->base - (size_t)(uintptr_t)heap->memory) & (modulus - 1);",
        "heap->mem += 0;",
        OWN,
    ),
    Mutant(
        "digest of heapscope",
        "memory without bytes gets the form by size",
        "native/allocators/heapscope.c",
        "sim->allocator.word_only ? HS_FORM_WORD : form",
        "form",
        OWN,
    ),
    Mutant(
        "low-water mark of heapscope",
        "the moment of a moving realloc is missed",
        "native/allocators/heapscope.c",
        "    hs_region_note_low(sim);\n",
        "",
        "tests/models/test_shadow.c",
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
        "    place->aligned = request->align != 0;",
        "    place->aligned = true;",
        "tests/native/test_regressions.c",
    ),
    Mutant(
        "requests by rule",
        "a rule's largest size is not its own",
        "native/replay/placement.c",
        "size <= rule->size_max",
        "size < rule->size_max",
        PLACEMENT,
    ),
    Mutant(
        "requests by rule",
        "the site of a rule does not matter",
        "native/replay/placement.c",
        "                    rules_of(&placement->sites, event->site) &\n",
        "",
        SHADOW,
    ),
    Mutant(
        "requests by rule",
        "a pattern of a rule is a plain name",
        "src/heapscope/replay/rule_names.py",
        "pattern == name or fnmatch.fnmatchcase(name, pattern)",
        "pattern == name",
        SHADOW,
    ),
    Mutant(
        "placement",
        "a full private heap of a rule gives way",
        "native/replay/placement.c",
        "    if (!rule->fallback || !allocate_freely",
        "    if (!allocate_freely",
        PLACEMENT,
    ),
    Mutant(
        "placement",
        "a rule may place what its region lacks",
        "native/replay/regions.c",
        "(region->serves & wanted) == wanted",
        "region->serves != 0",
        PLACEMENT,
    ),
    Mutant(
        "placement",
        "a block leaves its private heap when a rule no longer holds",
        "native/replay/regions.c",
        "regions->region[index].private_heap ? 0 : caps[0]",
        "caps[0]",
        SHADOW,
    ),
    Mutant(
        "bytes by rule",
        "what a rule placed is never given back",
        "native/replay/placement.c",
        "    row->payload -= payload;\n",
        "",
        PLACEMENT,
    ),
    Mutant(
        "cost of a private heap",
        "its block is not taken off, so that no rule costs anything",
        "native/replay/setup.c",
        "    from->startup += hs_sim_usable(from->heap, place.offset, false);\n",
        "    hs_sim_free(from->heap, place.offset, false);\n",
        PLACEMENT,
    ),
    Mutant(
        "published counts of heap-change",
        "a header of the free list is 8 bytes",
        "models/idf_4_2.h",
        "#define LIST_OVERHEAD UINT32_C(4)",
        "#define LIST_OVERHEAD UINT32_C(8)",
        HEAP_CHANGE,
    ),
    Mutant(
        "published counts of heap-change",
        "TLSF's fixed fields are 40 bytes",
        "models/tlsf_fixed.h",
        "#define TLSF_FIXED_FIELDS UINT32_C(20)",
        "#define TLSF_FIXED_FIELDS UINT32_C(40)",
        HEAP_CHANGE,
    ),
    Mutant(
        "steps of heap-change",
        "every third block is freed",
        "native/lab/single_heap.c",
        "i < count; i += 2)",
        "i < count; i += 3)",
        HEAP_CHANGE,
    ),
    Mutant(
        "the upgrade's parts",
        "what is reported but not there is left out",
        "src/heapscope/experiments/heap_change/upgrade.py",
        "return self.reported - self.free",
        "return 0",
        HEAP_CHANGE,
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
    Mutant(
        "the smallest pool",
        "a size that fails rules out the pool just below it too",
        "src/heapscope/fit/search.py",
        "                ruled_out.update(judged_by(size))\n",
        "                ruled_out.update(judged_by(size), {size - 8})\n",
        "tests/lab/fit/test_fit_search.py",
    ),
    Mutant(
        "survival on a pool",
        "a key used again counts as an event",
        "native/fit/survive.c",
        "        } else if (!(step->what & HS_FIT_EXTRA)) {",
        "        } else {",
        "tests/native/test_fit.c",
    ),
    Mutant(
        "the best hole",
        "a realloc's own place rules out holes elsewhere",
        "native/measure/hole.c",
        "too_small = !grows && hole->size",
        "too_small = hole->size",
        "tests/native/test_hole.c",
    ),
    Mutant(
        "what a change gives",
        "an event that is to be left out still happens",
        "src/heapscope/why/recording.py",
        '        rows["kind"][gone], rows["key"][gone], rows["size"][gone] = FREE, UNUSED, 0\n',
        "        pass\n",
        WHY,
    ),
    Mutant(
        "the least growth",
        "the first doubling that helps is taken",
        "src/heapscope/why/ideas_memory.py",
        "    while good - bad > STEP:",
        "    while False:",
        WHY,
    ),
    Mutant(
        "instructions a call",
        "one of each call is not counted",
        "tests/emulation/counter.c",
        "            finish(counter);\n",
        "            counter->count--;\n            finish(counter);\n",
        EMULATION,
    ),
    Mutant(
        "instructions a call",
        "copying is counted as the heap's own",
        "tests/emulation/counter.c",
        "        counter->copied++;\n",
        "        counter->count++;\n",
        EMULATION,
    ),
    Mutant(
        "words alone",
        "the wide form has bins of 16 bits",
        "device/src/heap/wide.c",
        "#define HS_BIN_T uint32_t",
        "#define HS_BIN_T uint16_t",
        EMULATED_HEAP,
    ),
    Mutant(
        "the same offsets on a chip",
        "on 32 bits a size is rounded otherwise",
        "tests/emulation/driver.c",
        "hs_heap_malloc(heap, event->size)",
        "hs_heap_malloc(heap, event->size + (sizeof(void *) == 4 && event->size == 200))",
        EMULATED_HEAP,
    ),
    Mutant(
        "the report's map",
        "used blocks count as free",
        "native/measure/picture.c",
        "    if (block->used || block->size == 0) {",
        "    if (block->size == 0) {",
        SURVEY,
    ),
)
