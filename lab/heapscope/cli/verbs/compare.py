"""Two or more things of a kind side by side, and where their difference comes from."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Unpack

from heapscope.answers.upgrade.cost import UpgradeResult
from heapscope.base.errors import InputError
from heapscope.base.printable import printable
from heapscope.base.progress import OnProgress
from heapscope.base.sizes import parse_size
from heapscope.cli.verbs.compared_configurations import compared_configurations
from heapscope.cli.verbs.compared_kind import Comparing, comparison_of, kind_of
from heapscope.cli.verbs.compared_parts import compared_parts
from heapscope.cli.verbs.compared_replays import Compared, both
from heapscope.forecast.ladder.difference import Ladder
from heapscope.forecast.ladder.sides import SideOptions
from heapscope.memory.options import MemoryOptions, flag, given
from heapscope.simulation.result.comparison import Comparison
from heapscope.simulation.result.comparison import compare as compare_results
from heapscope.simulation.result.result import ReplayResult

#: Options of the memory that configurations take, too.
_OF_CONFIGURATIONS = ("chip", "idf", "elf", "map", "static_dram")


def compare(
    *things: Compared,
    sides: Sequence[MemoryOptions] = (),
    need: Sequence[int | str] = (),
    parts: bool = False,
    caps: str = "",
    reported_free: Sequence[int | str] = (),
    steps: str | Path | None = None,
    tcp: int = 1,
    udp: int = 0,
    tls: int = 0,
    links: Sequence[str] = (),
    on_replays: Callable[[ReplayResult, ReplayResult], object] | None = None,
    progress: OnProgress | None = None,
    **memory: Unpack[MemoryOptions],
) -> Comparison | UpgradeResult | Ladder:
    """Compares two traces, one trace on two memories, two results, two memories at their start, or
    configurations.

    `things`: traces, files that `replay --json` wrote, or results of replay(); or configurations:
    an sdkconfig, several with commas between them, or a folder; "@5.1" behind it names its
    release; "+CONFIG_X=y", "+FILE" or "@5.5" change the one before. `sides`: two mappings with the
    options that tell the sides apart, for example `[{"idf": "4.2"}, {"idf": "5.5"}]`; `memory`: the
    options that both share. `need`: as for replay().

    `parts`: divides the difference of two memories into its parts, and says what buys it back; of
    no trace that is what is asked. `caps`: counts the memory with these capabilities instead of
    malloc's. `reported_free`: free heap that the device reported at its start, before and after.

    For configurations, `steps` is a file whose paragraphs are steps, each added to the one before
    it; `tcp`, `udp`, `tls`, `links`, `chip`, `idf`, `elf`, `map` and `static_dram` are as for
    predict(), and the static use is that of the first. `on_replays` gets both results where two
    replays are compared. InputError: an input cannot be used.
    """
    options = given(memory)
    if not things and not options and not sides:
        raise InputError(
            "nothing to compare", remedy="name two things, or one trace and an option twice"
        )
    comparison = comparison_of([(_shown(thing), kind_of(thing)) for thing in things], parts=parts)
    kinds: Mapping[Comparing, Mapping[str, object]] = {
        Comparing.REPLAYS: {"--need": need},
        Comparing.PARTS: {"--caps": caps, "--reported-free": reported_free},
        Comparing.CONFIGURATIONS: {
            "--steps": steps,
            "--tcp": tcp != 1,
            "--udp": udp,
            "--tls": tls,
            "--links": links,
        },
    }
    _refuse_others(comparison, kinds)
    if comparison is Comparing.CONFIGURATIONS:
        names = [thing for thing in things if isinstance(thing, str | Path)]
        taken = _taken(_shown(names[0]), options, sides, parts=parts)
        taken |= SideOptions(tcp=tcp, udp=udp, tls=tls, links=links)
        return compared_configurations(names, steps=steps, options=taken)
    if comparison is Comparing.PARTS:
        trace = things[0] if things else None
        if not isinstance(trace, str | Path | None):
            raise InputError("--parts: a result, not a trace", remedy="name the trace")
        return compared_parts(
            trace,
            options,
            sides=sides,
            caps=caps,
            reported_free=reported_free,
            progress=progress,
        )
    left, right = things if len(things) == 2 else (things[0], None)
    results = both(left, right, options, sides=sides, need=need, progress=progress)
    if on_replays is not None:
        on_replays(*results)
    return compare_results(*results)


def _shown(thing: Compared) -> str:
    return "a result" if isinstance(thing, ReplayResult) else printable(str(thing), limit=400)


def _refuse_others(requested: Comparing, kinds: Mapping[Comparing, Mapping[str, object]]) -> None:
    """InputError names the first option that belongs to another comparison."""
    for comparing, flags in kinds.items():
        for name, value in flags.items():
            if value and comparing is not requested:
                alone = comparing is Comparing.PARTS and requested is Comparing.REPLAYS
                raise InputError(
                    f"{name} is for comparing {comparing}, and these are {requested}",
                    remedy="add --parts" if alone else f"leave {name} out",
                )


def _taken(
    first: str, options: MemoryOptions, sides: Sequence[MemoryOptions], *, parts: bool
) -> SideOptions:
    """The options that configurations take. InputError: there are others."""
    if parts:
        raise InputError(
            f"{first}: a configuration, and --parts is about memories",
            remedy="leave --parts out",
        )
    for name in options:
        if name not in _OF_CONFIGURATIONS:
            raise InputError(
                f"{first}: a configuration, and {flag(name)} is for replaying",
                remedy=f"leave {flag(name)} out",
            )
    for name in sides[0] if sides else ():
        raise InputError(
            f"{first}: a configuration, and {flag(name)} is given twice",
            remedy="name a release behind its configuration: sdkconfig@5.1",
        )
    static = options.get("static_dram")
    return SideOptions(
        chip=options.get("chip"),
        idf=options.get("idf"),
        elf=options.get("elf"),
        map=options.get("map"),
        static_dram=None if static is None else parse_size(static, what="--static-dram"),
    )
