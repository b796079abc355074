"""Find the smallest pool by allocator, or the best sizes of named pools."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from heapscope.base.errors import InputError
from heapscope.base.option import Option
from heapscope.base.progress import OnProgress, phase
from heapscope.base.request import parse_requests
from heapscope.cli.verbs.options import (
    STRENGTH,
    Allocators,
    Chip,
    Idf,
    Map,
    Needs,
    Place,
    Runs,
    Sdkconfig,
    Seed,
    Strength,
    System,
)

if TYPE_CHECKING:
    from heapscope.answers.fit.firmware_heap import FirmwareHeap
    from heapscope.answers.fit.smallest_pool import FitResults
    from heapscope.answers.pools.holdings import PoolsResult
    from heapscope.memory.systems.system import System as AskedSystem


def fit(
    *traces: Annotated[str | Path, Option("T.hst...", "Traces (.hst, or .hst.zst).")],
    allocator: Allocators = (),
    task: Annotated[
        str | None,
        Option("NAME", "Fits the blocks of this task alone: the size of a private heap for it."),
    ] = None,
    margin: Annotated[
        float | None,
        Option(
            "PERCENT",
            "Also a size to recommend, so much above the smallest pool.",
            least=0,
            most=1000,
        ),
    ] = None,
    system: System = None,
    chip: Chip = None,
    idf: Idf = None,
    sdkconfig: Sdkconfig = None,
    map: Map = None,
    place: Place = None,
    pools: Annotated[
        bool,
        Option("", "Say what the pools hold that the program named, and which sizes hold least."),
    ] = False,
    sizes: Annotated[
        Sequence[str],
        Option(
            "NAME=INITIAL:INCREMENT",
            'With --pools: also replay with these sizes, bytes; "all": of every pool that may '
            "change. May be repeated.",
        ),
    ] = (),
    request: Annotated[
        Sequence[str],
        Option(
            "FROM=TO",
            "With --pools: also replay with each request of FROM bytes as one of TO bytes, what an "
            "option of the program does to it; 0: without it. May be repeated.",
        ),
    ] = (),
    calls: Annotated[
        int | None,
        Option(
            "N",
            "With --pools: heap calls that the advice may take, all traces together; as many as "
            "recorded unless told.",
            least=0,
        ),
    ] = None,
    need: Needs = (),
    provable: Annotated[
        bool,
        Option("", "Also the pool that cannot fail for any program of these sizes and this peak."),
    ] = False,
    jitter: Runs = None,
    jitter_seed: Seed = 0,
    jitter_strength: Strength = STRENGTH,
    progress: OnProgress | None = None,
) -> FitResults | PoolsResult:
    """Find the smallest pool in which a trace runs without a failed allocation, by allocator.

    A larger pool may fail where a smaller one does not. So "pool" is the smallest multiple of 8
    bytes such that it and 64 sizes spread over the next 2 % all survive; every smaller one was
    ruled out.
    All allocators are looked at where --allocator, which may be repeated, names none. For several
    traces it also has the geometric mean of each allocator.
    With --chip, it is also a verdict in net bytes: whether Heapscope's heap pays in a firmware for
    this chip, against the heap that it has. Then code in RAM and tables count, too; an allocator in
    ROM has no code there.
    Figures that are only known between two bounds give a verdict between two bounds.

    With --system it compares the allocators of that system's firmware by all RAM that they take,
    and says the most instructions of a call and the bytes of code where they are known.

    Rules of --place are for the pool: Heapscope's heap takes the requests of those with
    end = "high" from the high end of a free block. With --need, a pool also has room for that
    request at every moment, as `replay --need` asks.
    The pool holds for this run. --provable also has the one that no program fills which asks for
    the same sizes and never has more live, whatever its order: mostly many times as large.
    With --jitter, perturbed runs of the trace also say which share of runs each pool serves.
    A memory image, or the state.hst that `image` makes of it, is fitted as the blocks that it
    holds, allocated by address.

    With --pools it is about the pools that a program names, which grow by blocks: an initial one
    and increments. The pool events of a trace are replayed with other sizes, exactly, and the sizes
    found that have least allocated at the peak within a number of heap calls. Advice from several
    traces holds for more: a single one fits its own run.

    Examples:
      heapscope fit T.hst
      heapscope fit T.hst --allocator idf-4.2 --allocator idf-5.5+light
      heapscope fit before.hst after.hst --allocator idf-5.5 --json fit.json
      heapscope fit T.hst --task script --margin 10
      heapscope fit T.hst --allocator idf-5.5 --need 16717
      heapscope fit T.hst --allocator idf-5.5 --jitter 1000
      heapscope fit T.hst --allocator heap_4 --provable
      heapscope fit T.hst --system zephyr
      heapscope fit T.hst --chip esp32c3 --idf 5.5
      heapscope fit T.hst --sdkconfig sdkconfig --map build/app.map
      heapscope fit call.hst --pools
      heapscope fit call.hst other.hst --pools --calls 400
      heapscope fit call.hst --pools --sizes all=128:128 --sizes STUN_TDATA=512:304 --json -
      heapscope fit call.hst --pools --request 2000=360
    """
    from heapscope.answers.fit.fit_trace import fit as fit_one
    from heapscope.answers.fit.fit_trace import pool_rules
    from heapscope.answers.fit.on_system import on_system
    from heapscope.answers.fit.smallest_pool import FitResults
    from heapscope.answers.fit.verdict import with_verdict
    from heapscope.cli.verbs.begun import as_named, held_trace
    from heapscope.cli.verbs.recorded import with_word_size
    from heapscope.memory.layout.allocator import parse_allocator, placements
    from heapscope.simulation.jitter.runs import Jitter

    if pools:
        beside = {
            "--allocator": allocator,
            "--task": task,
            "--margin": margin,
            "--system": system,
            "--chip": chip,
            "--idf": idf,
            "--sdkconfig": sdkconfig,
            "--map": map,
            "--place": place,
            "--need": need,
            "--provable": provable or None,
            "--jitter": jitter,
        }
        _refuse(beside, "--pools: the sizes are those of the program's pools", "leave {} out")
        return _named_pools(traces, sizes, request, calls, progress)
    _refuse(
        {"--sizes": sizes, "--request": request, "--calls": calls},
        "no --pools: they are of pools that the program named",
        "add --pools",
    )
    perturbed = Jitter.requested(jitter, seed=jitter_seed, strength=jitter_strength)
    placement = None if place is None else pool_rules(place)
    needs = parse_requests(need)
    if provable and (needs or placement is not None):
        raise InputError(
            "--provable is about the requests of the trace alone, in a heap with one end",
            remedy="leave --need and --place out",
        )
    if needs and task is not None:
        raise InputError(
            "--need and --task: the heap of one task has no room for the requests of others",
            remedy="leave one of them out",
        )
    asked = _system(system, chip, idf, sdkconfig, map)
    firmware = _firmware(chip, idf, sdkconfig, map, task)
    entries: Sequence[str] = [allocator] if isinstance(allocator, str) else list(allocator)
    names = [parse_allocator(name) for name in entries]
    _check_lists(names)
    if firmware is not None:
        names += (firmware.before, firmware.after)
    if asked is not None:
        names = names or list(asked.candidates)
        names += [name for name in (asked.allocator,) if name not in names]
    names = list(dict.fromkeys(names or placements()))
    with ExitStack() as stack:
        paths = [stack.enter_context(held_trace(trace)) for trace in traces]
        matches = [
            fit_one(
                path,
                names,
                task=task,
                margin=margin,
                jitter=perturbed,
                placement=placement,
                needs=needs,
                provable=provable,
                reading=phase(progress, "reading"),
                progress=phase(progress, "fitting", parts=True),
                perturbing=phase(progress, "perturbed runs", parts=True),
            )
            for path in paths
        ]
        if firmware is not None:
            matches = [with_verdict(results, firmware) for results in matches]
        if asked is not None:
            matches = [on_system(results, asked) for results in matches]
        return FitResults(
            tuple(
                as_named(with_word_size(result, path, named=len(traces) > 1), trace)
                for trace, path, results in zip(traces, paths, matches, strict=True)
                for result in results
            )
        )


def _refuse(given: Mapping[str, object], reason: str, remedy: str) -> None:
    """InputError names the first option that is given."""
    for name, value in given.items():
        if value not in (None, (), []):
            raise InputError(f"{name} and {reason}", remedy=remedy.format(name))


def _named_pools(
    traces: Sequence[str | Path],
    sizes: Sequence[str],
    request: Sequence[str],
    calls: int | None,
    progress: OnProgress | None,
) -> PoolsResult:
    from heapscope.answers.pools.account import parse_requests, parse_sizes, pools_result
    from heapscope.answers.pools.pool_trace import read_pools
    from heapscope.cli.verbs.recorded import with_word_size

    wanted, requests = parse_sizes(sizes), parse_requests(request)
    read = [read_pools(Path(trace), progress=phase(progress, "reading")) for trace in traces]
    trying = phase(progress, "trying sizes", parts=True)
    result = pools_result(read, wanted=wanted, requests=requests, calls=calls, progress=trying)
    return with_word_size(result, *traces, named=len(traces) > 1)


def _check_lists(names: Sequence[str]) -> None:
    from heapscope.memory.layout.allocator import lists_blocks

    for name in filter(lists_blocks, names):
        raise InputError(
            f"fit with {name}: task tracking takes blocks beside those of the trace there, which "
            "the search leaves out",
            remedy=f"give --allocator {name.replace('+track', '')}, or replay the trace on a size: "
            f"heapscope replay T.hst --pool 256KB --allocator {name}",
        )


def _system(name: str | None, *of_idf: object) -> AskedSystem | None:
    """None: --system is not given."""
    from heapscope.memory.systems.system import find_system

    if name is None:
        return None
    for flag, given in zip(("--chip", "--idf", "--sdkconfig", "--map"), of_idf, strict=True):
        if given is not None:
            raise InputError(
                f"--system and {flag}: that is the heap of ESP-IDF", remedy="leave one of them out"
            )
    return find_system(name)


def _firmware(
    chip: str | None,
    idf: str | None,
    sdkconfig: str | Path | None,
    map_file: str | Path | None,
    task: str | None,
) -> FirmwareHeap | None:
    """None: no chip is asked about."""
    from heapscope.answers.fit.firmware_heap import read_firmware_heap

    if chip is None and sdkconfig is None:
        for name, given in (("--idf", idf), ("--map", map_file)):
            if given is not None:
                raise InputError(f"{name} without a chip", remedy="add --chip")
        return None
    if task is not None:
        raise InputError(
            "--task and --chip: a heap for one task stands beside the firmware's own, not in its "
            "place",
            remedy="leave one of them out",
        )
    return read_firmware_heap(chip=chip, idf=idf, sdkconfig=sdkconfig, map_file=map_file)
