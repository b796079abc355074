"""Broken in what answers questions: placement, experiments, fit, why, emulation, reports."""

from __future__ import annotations

from mutant import Mutant

DEMO = "tests/lab/demo/test_demo.py"
SURVEY = "tests/native/test_survey.c"
PLACEMENT = "tests/native/test_placement.c"
SHADOW = "tests/lab/place/test_place_shadow.py"
HEAP_CHANGE = "tests/lab/experiments/test_heap_change.py"
EMULATION = "tests/device/test_emulation.py"
EMULATED_HEAP = "tests/device/test_emulated_heap.py"
WHY = "tests/lab/why/test_why_changes.py"

ANSWERS = (
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
