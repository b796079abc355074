"""Broken in the heaps of a memory image: their walk, their lists, and what is called damage."""

from __future__ import annotations

from mutant import Mutant

HEAPS = "tests/lab/image/test_heaps.py"
CAPTURED = "tests/lab/image/test_captured_damage.py"
STATE = "tests/lab/image/test_image_state.py"
LIBC = "tests/lab/image/test_libc_heaps.py"
FOLDER = "lab/heapscope/answers/image"

DAMAGE = "tests/lab/image/test_damage.py"

IMAGE_HEAPS = (
    Mutant(
        "damage in an image",
        "a block that leads out of the image is damaged",
        f"{FOLDER}/blocks.py::_across",
        "nearer or unknown",
        "nearer",
        "tests/lab/image/test_cut_images.py",
    ),
    Mutant(
        "damage in an image",
        "a size that leads over other blocks is believed",
        f"{FOLDER}/chain.py::led_over",
        "if longest < _PROOF:",
        "if longest >= 0:",
        DAMAGE,
    ),
    Mutant(
        "damage in an image",
        "a link to a block that did not prove itself is damage, too",
        f"{FOLDER}/chain.py::in_gap",
        "return any(gap.start <= address < gap.end for gap in gaps)",
        "return any(gap.start > address >= gap.end for gap in gaps)",
        DAMAGE,
    ),
    Mutant(
        "damage in an image",
        "blocks in front of the damage are left out where no name leads to the heap",
        f"{FOLDER}/heap_4.py::_with_front",
        "best, most = longer, worth",
        "most = worth",
        DAMAGE,
    ),
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
        "proofs = [at for at in self.following() if at > payload]",
        "proofs = [at for at in self.following() if at > self.last]",
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
    Mutant(
        "states of an image",
        "a state file forgets the order of free blocks",
        "lab/heapscope/logs/heaps/state_file.py::_heap",
        'values["free_order"] = tuple(_word(one) for one in values["free_order"])',
        'values["free_order"] = tuple(sorted(values["free_order"]))',
        STATE,
    ),
    Mutant(
        "damage in an image",
        "a block that its list has twice is a link that was written over",
        f"{FOLDER}/tlsf_lists.py::_List.walk",
        "again = payload in order or payload in self._used",
        "again = payload in self._used",
        "tests/lab/image/test_damage.py",
    ),
    Mutant(
        "blocks of an image",
        "newlib's chunks in front of free ones are free",
        f"{FOLDER}/newlib.py::_BoundaryTags.step",
        "word = self.image.word(following + _SIZE)",
        "word = self.image.word(at + _SIZE)",
        LIBC,
    ),
    Mutant(
        "blocks of an image",
        "the sizes of newlib-nano's chunks do not count their header",
        f"{FOLDER}/nano.py::named_heap",
        "sizes = [block.size + _HEADER for block in chained.blocks if not block.used]",
        "sizes = [block.size for block in chained.blocks if not block.used]",
        LIBC,
    ),
    Mutant(
        "names in an image",
        "a variable on a stack lies where its function's frame begins",
        "lab/heapscope/memory/image/stack_variables.py::_evaluated",
        "return start + offset & 0xFFFF_FFFF, False",
        "return start & 0xFFFF_FFFF, False",
        "tests/lab/image/test_stack_variables.py",
    ),
    Mutant(
        "names in an image",
        "a task that waits goes on where its registers are saved",
        "lab/heapscope/memory/image/saved_contexts.py::_registers",
        "address + size + padded",
        "address + padded",
        "tests/lab/image/test_saved_contexts.py",
    ),
    Mutant(
        "names in an image",
        "the older registers of a task that an interrupt stopped are followed",
        "lab/heapscope/answers/image/tasks.py::_saved",
        "contexts.keys() - pointed if",
        "contexts.keys() if",
        "tests/lab/image/test_saved_contexts.py",
    ),
)
