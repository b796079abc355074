"""Find where blocks should lie, with a bound that no rules go beyond."""

from __future__ import annotations

import filecmp
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Unpack

from heapscope.base.errors import HeapscopeError, InputError
from heapscope.base.option import Option
from heapscope.base.printable import printable
from heapscope.base.progress import OnProgress, counted, phase
from heapscope.base.request import parse_requests
from heapscope.cli.verbs.options import (
    STRENGTH,
    Needs,
    Runs,
    Seed,
    State,
    Strength,
    Trace,
)
from heapscope.memory.options import MemoryOptions, given

if TYPE_CHECKING:
    from heapscope.answers.place.place_result import PlaceResult


def place(
    trace: Trace,
    *,
    need: Needs = (),
    slow: Annotated[
        float,
        Option("PERCENT", "Part of the bytes asked for that rules may send to slow memory (10)."),
    ] = 10.0,
    time_limit: Annotated[float, Option("SECONDS", "Time for the search (60).")] = 60.0,
    second: Annotated[
        str | Path | None,
        Option(
            "T2.hst",
            "Another recording of the same program, which the rules are tried on. A heap with two "
            "ends gets rules for them only where they win there, too.",
        ),
    ] = None,
    fixed_blocks: Annotated[
        bool,
        Option("", "Try pools of fixed blocks, too. Rules for them are given only where they win."),
    ] = False,
    jitter: Runs = None,
    jitter_seed: Seed = 0,
    jitter_strength: Strength = STRENGTH,
    state: State = None,
    progress: OnProgress | None = None,
    **memory: Unpack[MemoryOptions],
) -> PlaceResult:
    """Find the rules for --place that leave most internal memory free, or a block that must fit.

    A mixed-integer programme sends classes of requests, by task, call site and size, to regions
    and to slow memory. Its bound is what no such rules go beyond. Its solution and the best single
    rules are replayed with the whole trace, and the best of them is given. The memory is chosen
    as for replay; the rules of --place stay as they are, in front. The new rules go to the file of
    -o. --need names the request that has to succeed at every moment.

    With --jitter, perturbed runs of the trace also say in which share the placement holds.

    Examples:
      heapscope place T.hst --chip esp32 --psram 4MB --psram-threshold off
      heapscope place T.hst --chip esp32 --need 16717 -o rules.toml
      heapscope place T.hst --chip esp32s3 --psram 8MB --psram-threshold off --slow 5
      heapscope place T.hst --chip esp32 --psram 4MB --second T2.hst --json place.json
      heapscope place T.hst --chip esp32 --need 16717 --jitter 200
      heapscope place T.hst --pool 64KB --fixed-blocks -o rules.toml --code place.h
    """
    from heapscope.answers.place.answer import place as answer
    from heapscope.answers.place.question import PlaceQuestion, PlaceWish, check_whole
    from heapscope.cli.verbs.begun import as_named, held_trace, memory_for
    from heapscope.cli.verbs.recorded import with_word_size
    from heapscope.forecast.predict.memory_choice import choose_memory
    from heapscope.memory.choose import NO_RULES, choose_placement
    from heapscope.memory.layout.layout import Layout
    from heapscope.memory.layout.toml_text import read_toml_text
    from heapscope.simulation.jitter.runs import Jitter

    options = given(memory)
    with held_trace(trace) as path:
        layout = memory_for(trace, options, path, state=state).layout
        choose_placement(options, layout)  # names what is wrong in it by the file's own name
        own = options.get("place")
        text = "" if own is None or str(own) == NO_RULES else read_toml_text(own, what="rules").text
        needs = parse_requests(need)
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
        return as_named(with_word_size(result, path, damage=True), trace)


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
