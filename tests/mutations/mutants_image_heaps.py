"""Broken in the heaps of a memory image: their walk, their lists, and what is called damage."""

from __future__ import annotations

from mutant import Mutant

HEAPS = "tests/lab/image/test_heaps.py"
CAPTURED = "tests/lab/image/test_captured_damage.py"
STATE = "tests/lab/image/test_image_state.py"
FOLDER = "lab/heapscope/answers/image"

IMAGE_HEAPS = (
    Mutant(
        "blocks of an image",
        "a block after a free one counts as free",
        f"{FOLDER}/blocks.py::walk_blocks",
        "_add(chain, payload, word & ~3, free=bool(word & _FREE))",
        "_add(chain, payload, word & ~3, free=bool(word & _AFTER_FREE))",
        HEAPS,
    ),
    Mutant(
        "damage in an image",
        "the walk ends at the first damaged word",
        f"{FOLDER}/blocks.py::_Chain.proved_behind",
        "proofs = [at for at in self._proved if at > payload]",
        "proofs = [at for at in self._proved if at > self.last]",
        CAPTURED,
    ),
    Mutant(
        "damage in an image",
        "a canary that is damaged goes unseen",
        f"{FOLDER}/coat.py::_words",
        'tell(tail, "tail", _TAIL, "poisoning puts this word behind every block")',
        'tell(tail, "tail", image.word(tail), "poisoning puts this word behind every block")',
        CAPTURED,
    ),
    Mutant(
        "damage in an image",
        "what lies beside it is damage, too",
        f"{FOLDER}/damage.py::_differing",
        "first, last = min(unlike, default=0), max(unlike, default=3)",
        "first, last = 0, 3",
        CAPTURED,
    ),
    Mutant(
        "states of an image",
        "free blocks are taken in the order of their addresses",
        f"{FOLDER}/models.py::region_of",
        "holes=heap.free_order,",
        "holes=tuple(sorted(heap.free_order)),",
        STATE,
    ),
    Mutant(
        "states of an image",
        "of the holes that are given, the last one is taken first",
        "lab/models/load.c::free_holes",
        "for (uint32_t i = hole_count; i-- > 0;) {",
        "for (uint32_t i = 0; i < hole_count; i++) {",
        "tests/models/test_load.c",
    ),
)
