"""Where blocks should lie."""

from __future__ import annotations

import filecmp
from collections.abc import Sequence
from pathlib import Path
from typing import Unpack

from heapscope.answers.place.answer import place as answer
from heapscope.answers.place.place_result import PlaceResult
from heapscope.answers.place.question import SECONDS, SLOW, PlaceQuestion, PlaceWish, check_whole
from heapscope.base.errors import HeapscopeError, InputError
from heapscope.base.printable import printable
from heapscope.base.progress import OnProgress, counted, phase
from heapscope.base.request import parse_requests
from heapscope.cli.verbs.recorded import with_word_size
from heapscope.forecast.predict.memory_choice import choose_memory
from heapscope.memory.choose import NO_RULES, choose_placement
from heapscope.memory.layout.layout import Layout
from heapscope.memory.layout.toml_text import read_toml_text
from heapscope.memory.options import MemoryOptions, given
from heapscope.simulation.jitter.runs import STRENGTH, Jitter


def place(
    trace: str | Path,
    *,
    need: int | str | Sequence[int | str] = (),
    slow: float = SLOW,
    time_limit: float = SECONDS,
    second: str | Path | None = None,
    fixed_blocks: bool = False,
    jitter: int | None = None,
    jitter_seed: int = 0,
    jitter_strength: float = STRENGTH,
    progress: OnProgress | None = None,
    **memory: Unpack[MemoryOptions],
) -> PlaceResult:
    """Finds the rules that leave most internal memory free, or a block of `need` at every moment.

    `slow`: percent of the bytes asked for that may be in slow memory. `time_limit`: seconds for it.
    `second`: another recording of the same program, which the rules are tried on, and which a heap
    with two ends needs for rules that use them. `fixed_blocks`: tries pools of fixed blocks, too.
    `jitter`: so many perturbed runs also say in which share the placement holds. `memory`: as for
    replay(); the rules of `place` stay in front. InputError: an input cannot be used.
    """
    path, options = Path(trace), given(memory)
    layout = choose_memory(options, path).layout
    choose_placement(options, layout)  # names what is wrong in it by the file's own name
    own = options.get("place")
    text = "" if own is None or str(own) == NO_RULES else read_toml_text(own, what="rules").text
    needs = parse_requests([need] if isinstance(need, str | int) else need)
    if len(needs) > 1:
        raise InputError("--need given twice: rules are for one request", remedy="give it once")
    wish = PlaceWish(
        need=needs[0] if needs else None,
        slow=slow,
        seconds=time_limit,
        given=text,
        pools=fixed_blocks,
    )
    wish.check()
    perturbed = Jitter.requested(jitter, seed=jitter_seed, strength=jitter_strength)
    if second is not None:
        _check_other(path, Path(second))
        check_whole(Path(second))

    def with_threshold(most: int) -> Layout | None:
        if "psram" not in options and "boot_log" not in options:
            return None
        try:
            return choose_memory(given({**options, "psram_threshold": most}), path).layout
        except HeapscopeError:  # the log's device has no PSRAM, or no room for the reserve
            return None

    question = PlaceQuestion(
        path=path,
        layout=layout,
        wish=wish,
        with_threshold=with_threshold,
        tried=counted(progress, "replays with rules"),
    )
    result = answer(
        question,
        second=None if second is None else Path(second),
        jitter=perturbed,
        perturbing=phase(progress, "perturbed runs", parts=True),
    )
    return with_word_size(result, path, damage=True)


def _check_other(path: Path, second: Path) -> None:
    """InputError: the second recording is the first, so that it proves nothing."""
    try:
        same = filecmp.cmp(path, second, shallow=False)
    except OSError:
        return  # reading it says why
    if same:
        raise InputError(
            f"{printable(str(second), limit=400)}: --second is the same recording as "
            f"{printable(str(path), limit=400)}",
            remedy="give another recording of the same program, or leave --second out",
        )
