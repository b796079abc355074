"""Broken in the shadow that real programs run beside."""

from __future__ import annotations

from mutant import Mutant

TEST = "tests/programs/test_programs.py"

PROGRAMS = (
    Mutant(
        "faults of real programs",
        "overlapping blocks are not seen",
        "benches/programs/shadow.c::enter",
        "!mark(address, size, true)",
        "!(mark(address, size, true) || true)",
        TEST,
    ),
    Mutant(
        "faults of real programs",
        "what realloc keeps is not compared",
        "benches/programs/shadow.c::shadow_resized",
        "checksum(now, kept) != shadow.before",
        "checksum(now, kept) != shadow.before && size == 0",
        TEST,
    ),
    Mutant(
        "faults of real programs",
        "only the beginning of a cleared block is looked at",
        "benches/programs/shadow.c::is_zero",
        "size == 0 || (bytes[0] == 0 && memcmp(bytes, bytes + 1, size - 1) == 0)",
        "size == 0 || bytes[0] == 0",
        TEST,
    ),
    Mutant(
        "faults of real programs",
        "a refused free is not told of",
        "benches/programs/calls.c::calls_free",
        'tell(done ? NULL : "free refused");',
        "(void)done;",
        TEST,
    ),
)
