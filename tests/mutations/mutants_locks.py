"""Broken in the locks of regions."""

from __future__ import annotations

from mutant import Mutant

CORES = "tests/device/test_cores.py"
THREADS = "tests/device/test_threads.py"
SPINS = "tests/device/test_port_cores.c"
ORDER = "tests/device/test_regions_shadow.c"

#: Parts of blocks.c::carry.
COPY = "hs_place_copy(&to, place, place->size < size ? place->size : size);"
FREED = (
    "const bool freed = hs_guard_free(&area->guard, place->block) == HS_OK; "
    "if (!freed) { (void)hs_guard_free(&area->guard, block); }"
)

LOCKS = (
    Mutant(
        "locks of regions",
        "a malloc keeps the lock of a region that had no room",
        "device/src/regions/route.c::take_in",
        "hs_unlock_area(set, area); if (block == NULL)",
        "if (block != NULL) { hs_unlock_area(set, area); } if (block == NULL)",
        ORDER,
    ),
    Mutant(
        "locks of regions",
        "a malloc takes the lock of the first region, whichever it asks",
        "device/src/regions/route.c::take_in",
        "hs_lock_area(set, area);",
        "hs_lock(set, 0);",
        ORDER,
    ),
    Mutant(
        "locks of regions",
        "a realloc frees the old block under the lock of another region",
        "device/src/regions/blocks.c::carry",
        f"hs_lock_area(set, area); {FREED} hs_unlock_area(set, area);",
        f"hs_lock(set, 3); {FREED} hs_unlock(set, 3);",
        THREADS,
    ),
    Mutant(
        "locks of regions",
        "a malloc takes no lock",
        "device/src/regions/route.c::take_in",
        "hs_lock_area(set, area);",
        "",
        ORDER,
    ),
    Mutant(
        "locks of regions",
        "a realloc frees the old block before it copies",
        "device/src/regions/blocks.c::carry",
        f"{COPY} hs_lock_area(set, area); {FREED}",
        f"hs_lock_area(set, area); {FREED} hs_unlock_area(set, area); {COPY} "
        "hs_lock_area(set, area);",
        CORES,
    ),
    Mutant(
        "locks of regions",
        "a realloc to another region copies with the lock of the old one held",
        "device/src/regions/blocks.c::hs_regions_realloc_prefer",
        "hs_place_close(set, &place);",
        "",
        ORDER,
    ),
    Mutant(
        "locks of regions",
        "the owners are counted with the lock of the region held",
        "device/src/regions/route.c::take_in",
        "hs_lock(set, HS_LOCK_OWNERS);",
        "hs_lock_area(set, area); hs_lock(set, HS_LOCK_OWNERS);",
        ORDER,
    ),
    Mutant(
        "locks of regions",
        "the owners are counted without a lock",
        "device/src/regions/blocks.c::give",
        "hs_lock(set, HS_LOCK_OWNERS); hs_owners_gave(set->config->owners, tag.owner, "
        "area->memory->kind, usable); hs_unlock(set, HS_LOCK_OWNERS);",
        "hs_owners_gave(set->config->owners, tag.owner, area->memory->kind, usable);",
        THREADS,
    ),
    Mutant(
        "locks of regions",
        "a region is seen before its guard is there",
        "device/src/regions/create.c::open_area",
        "area->guard.config = guard.config;",
        "HS_PUBLISH(area->guard.heap, heap); area->guard.config = guard.config;",
        CORES,
    ),
    Mutant(
        "locks of regions",
        "a spin lock is let go while it is held twice",
        "device/port/bare/port.c::release",
        "if (--holds[lock] == 0) {",
        "holds[lock]--; {",
        SPINS,
    ),
)
