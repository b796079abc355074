"""Compare traces, memories, releases, results, configurations or logs."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Unpack

from heapscope.base.errors import InputError
from heapscope.base.option import Option, flag
from heapscope.base.printable import printable
from heapscope.base.progress import OnProgress
from heapscope.base.sizes import parse_size
from heapscope.base.verb_result import VerbResult
from heapscope.cli.verbs.options import Links, Needs, Tcp, Tls, Traced, Udp, each_of
from heapscope.config.releases import ARDUINO
from heapscope.memory.options import MemoryOptions, given

if TYPE_CHECKING:
    from heapscope.answers.upgrade.cost import UpgradeResult
    from heapscope.cli.verbs.compared_kind import Comparing
    from heapscope.cli.verbs.compared_replays import Compared
    from heapscope.forecast.ladder.difference import Ladder
    from heapscope.forecast.ladder.sides import SideOptions
    from heapscope.logs.answer.log_comparison import LogComparison
    from heapscope.simulation.result.comparison import Comparison
    from heapscope.simulation.result.result import ReplayResult
    from heapscope.simulation.result.several import SeveralReplays


#: Options of the memory that configurations take, too.
_OF_CONFIGURATIONS = ("chip", "idf", "elf", "map", "bin", "static_dram")


def compare(
    *things: Annotated[
        str | Path | VerbResult,
        Option(
            "[A B...]",
            "Traces, results of replay --json, logs, or configurations: F, F@5.1, arduino@3.3.8; "
            "+CONFIG_X=y, +FILE, @5.5 change the one before. One trace: on several memories; none: "
            "the start of two.",
            kind=str,
        ),
    ],
    sides: Sequence[MemoryOptions] = (),
    need: Needs = (),
    parts: Annotated[
        bool,
        Option(
            "",
            "Divide the difference of two memories into its parts, and say what buys it back.",
        ),
    ] = False,
    caps: Annotated[
        str,
        Option(
            "CAPS",
            "With --parts: count the memory with these capabilities (INTERNAL, DMA); else "
            "malloc's.",
        ),
    ] = "",
    reported_free: Annotated[
        Sequence[int | str],
        Option(
            "BYTES",
            "With --parts: free heap that the device reported at its start, before and after: "
            "start-up's use is found from the first, what is not explained from the second.",
        ),
    ] = (),
    steps: Annotated[
        str | Path | None,
        Option("FILE", "Each paragraph of it is a step, added to the last configuration."),
    ] = None,
    trace: Annotated[
        Sequence[str | Path],
        Option(
            "T.hst",
            "The program's own allocations, which must fit too.",
        ),
    ] = (),
    traced: Traced = False,
    tcp: Tcp = 1,
    udp: Udp = 0,
    tls: Tls = 0,
    links: Links = (),
    on_replays: Callable[[ReplayResult, ReplayResult], object] | None = None,
    progress: OnProgress | None = None,
    **memory: Unpack[MemoryOptions],
) -> Comparison | SeveralReplays | UpgradeResult | Ladder | LogComparison:
    """Compare things of one kind, and say where their difference comes from.

    traces, or one on several memories    their replays side by side
    results of replay --json              the same, as they are
    one trace or none, and --parts        the difference of two memories, part by part
    configurations                        what each option gives; of several, each step
    releases: arduino@3.3.7 @3.3.8        the same of what a core or project brings; idf@5.4
    logs, or total=N,free=N               their last states, and the heap at the start, by region
    An option given several times has a value for each side, one given once is for all. Each of
    several replays or logs, up to six, is compared with the first.

    --fail-on worse=5% or worse:FIGURES=5% limits how much worse a later replay may be than the
    first; other budgets are those of the later ones.

    With --parts the differences in free memory and in the largest block are divided into control
    tables, headers, rounding, checks, regions, static growth and accounting. The rest is "not
    explained". Without a trace only the start is compared, for example of two boot logs.

    Options of configurations are compared by their final values and not by lines: an option that a
    default changed between two releases is named too. The gain of options that act together is
    shared among them, and adds up to the total. Memory is by state, and differences have bands.
    --trace is replayed on the memory of each: given once for all, or once for each.
    With -o the tables are written, too: .md as Markdown, else as a page.

    Examples:
      heapscope compare T.hst --chip esp32 --idf 4.2 --idf 5.5 --need 16717
      heapscope compare T.hst --pool 256KB --allocator idf-4.2 --allocator idf-5.5
      heapscope compare T.hst --pool 256KB --place none --place rules.toml
      heapscope compare before.hst after.hst --chip esp32
      heapscope compare T.hst --pool 256KB --allocator idf-5.5 --allocator tlsf --allocator heap_4
      heapscope compare before.json after.json
      heapscope compare before.hst after.hst --chip esp32 --fail-on worse:tasks*=5%
      heapscope compare T.hst --chip esp32 --idf 4.2 --idf 5.5 --parts
      heapscope compare --chip esp32 --boot-log boot.txt --idf 4.2 --idf 4.3 --caps INTERNAL
      heapscope compare T.hst --layout F.toml --idf 4.2 --idf 5.5 --parts
      heapscope compare sdkconfig.defaults@5.1 @5.5 --chip esp32 --tls 1
      heapscope compare arduino@3.3.7:qio_opi @3.3.8 --chip esp32s3
      heapscope compare micropython@1.26.1:ESP32_GENERIC micropython@1.27.0:ESP32_GENERIC
      heapscope compare idf@5.5.1 @5.5.4 --chip esp32
      heapscope compare old.log new.log
      heapscope compare sdkconfig +CONFIG_LWIP_IRAM_OPTIMIZATION=n +CONFIG_ESP_WIFI_IRAM_OPT=n
      heapscope compare sdkconfig.defaults --steps steps.txt --chip esp32 -o steps.md
      heapscope compare sdkconfig.defaults --steps steps.txt --chip esp32 --trace T.hst
    """
    from heapscope.cli.verbs.compared_configurations import compared_configurations
    from heapscope.cli.verbs.compared_kind import Comparing, comparison_of, kind_of
    from heapscope.cli.verbs.compared_logs import compared_logs
    from heapscope.cli.verbs.compared_parts import compared_parts
    from heapscope.cli.verbs.compared_replays import replays_of
    from heapscope.forecast.ladder.sides import SideOptions
    from heapscope.simulation.result.comparison import compare as compare_results
    from heapscope.simulation.result.several import compare_several

    options = given(memory)
    if not things and not options and not sides:
        raise InputError(
            "nothing to compare", remedy="name two things, or one trace and an option twice"
        )
    if not things and not caps and not reported_free:
        cores = _cores(options, sides)
        if cores:  # what they bring is known, so that more than their heaps is compared
            things, parts, sides = cores, False, ()
            options = given({name: each for name, each in options.items() if name == "chip"})
    comparison = comparison_of([(_shown(thing), kind_of(thing)) for thing in things], parts=parts)
    kinds: Mapping[Comparing, Mapping[str, object]] = {
        Comparing.REPLAYS: {"--need": need},
        Comparing.PARTS: {"--caps": caps, "--reported-free": reported_free},
        Comparing.CONFIGURATIONS: {
            "--steps": steps,
            "--trace": trace,
            "--traced": traced,
            "--tcp": tcp != 1,
            "--udp": udp,
            "--tls": tls,
            "--links": links,
        },
    }
    _refuse_others(comparison, kinds)
    if comparison is Comparing.LOGS:
        _refuse_memory(_shown(things[0]), options, sides)
        return compared_logs([thing for thing in things if isinstance(thing, str | Path)])
    if comparison is Comparing.CONFIGURATIONS:
        names = [thing for thing in things if isinstance(thing, str | Path)]
        taken = _taken(_shown(names[0]), options, sides, parts=parts)
        taken |= SideOptions(tcp=tcp, udp=udp, tls=tls, links=each_of(links))
        return compared_configurations(
            names,
            steps=steps,
            options=taken,
            traces=[Path(each) for each in trace],
            traced=traced,
            progress=progress,
        )
    if comparison is Comparing.PARTS:
        if len(sides) > 2:
            raise InputError(
                f"--parts divides the difference of two memories, and there are {len(sides)}",
                remedy="compare two at a time",
            )
        alone = things[0] if things else None
        if not isinstance(alone, str | Path | None):
            raise InputError("--parts: a result, not a trace", remedy="name the trace")
        return compared_parts(
            alone,
            options,
            sides=sides,
            caps=caps,
            reported_free=reported_free,
            progress=progress,
        )
    results = replays_of(things, options, sides=sides, need=need, progress=progress)
    first, *others = results
    for other in others:
        if on_replays is not None:
            on_replays(first, other)
    return compare_results(first, others[0]) if len(others) == 1 else compare_several(results)


def _cores(options: MemoryOptions, sides: Sequence[MemoryOptions]) -> tuple[str, ...]:
    """The two cores of arduino-esp32 that are all that differs; none: something else is given."""
    versions = [side.get("idf") or "" for side in sides]
    if len(sides) != 2 or {"idf"} != {name for side in sides for name in side}:
        return ()
    if set(options) - {"chip"} or not all(text.startswith(f"{ARDUINO} ") for text in versions):
        return ()
    return tuple(f"{ARDUINO}@{text.removeprefix(ARDUINO).strip()}" for text in versions)


def _shown(thing: Compared) -> str:
    from heapscope.simulation.result.result import ReplayResult

    return "a result" if isinstance(thing, ReplayResult) else printable(str(thing), limit=400)


def _refuse_others(requested: Comparing, kinds: Mapping[Comparing, Mapping[str, object]]) -> None:
    """InputError names the first option that belongs to another comparison."""
    from heapscope.cli.verbs.compared_kind import Comparing

    for comparing, flags in kinds.items():
        for name, value in flags.items():
            if value and comparing is not requested:
                alone = comparing is Comparing.PARTS and requested is Comparing.REPLAYS
                raise InputError(
                    f"{name} is for comparing {comparing}, and these are {requested}",
                    remedy="add --parts" if alone else f"leave {name} out",
                )


def _refuse_memory(first: str, options: MemoryOptions, sides: Sequence[MemoryOptions]) -> None:
    """InputError: there is an option of a memory, which logs do not take."""
    for name in (*options, *(sides[0] if sides else ())):
        raise InputError(
            f"{first}: a log, and {flag(name)} is for replaying",
            remedy=f"leave {flag(name)} out",
        )


def _taken(
    first: str, options: MemoryOptions, sides: Sequence[MemoryOptions], *, parts: bool
) -> SideOptions:
    """The options that configurations take. InputError: there are others."""
    from heapscope.forecast.ladder.sides import SideOptions

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
        bin=options.get("bin"),
        static_dram=None if static is None else parse_size(static, what="--static-dram"),
    )
