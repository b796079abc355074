"""The smallest pool in which a trace runs, and the best sizes of named pools."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from heapscope.answers.fit.firmware_heap import FirmwareHeap, read_firmware_heap
from heapscope.answers.fit.fit_trace import fit as fit_one
from heapscope.answers.fit.fit_trace import pool_rules
from heapscope.answers.fit.smallest_pool import FitResults
from heapscope.answers.fit.verdict import with_verdict
from heapscope.answers.pools.account import parse_sizes, pools_result
from heapscope.answers.pools.holdings import PoolsResult
from heapscope.answers.pools.pool_trace import read_pools
from heapscope.base.errors import InputError
from heapscope.base.progress import OnProgress, phase
from heapscope.base.request import parse_requests
from heapscope.cli.verbs.recorded import with_word_size
from heapscope.memory.layout.allocator import parse_allocator, placements
from heapscope.simulation.jitter.runs import STRENGTH, Jitter


def fit(
    *traces: str | Path,
    allocator: str | Iterable[str] = (),
    task: str | None = None,
    margin: float | None = None,
    chip: str | None = None,
    idf: str | None = None,
    sdkconfig: str | Path | None = None,
    map: str | Path | None = None,
    place: str | Path | None = None,
    pools: bool = False,
    sizes: Sequence[str] = (),
    calls: int | None = None,
    need: str | int | Iterable[str | int] = (),
    jitter: int | None = None,
    jitter_seed: int = 0,
    jitter_strength: float = STRENGTH,
    progress: OnProgress | None = None,
) -> FitResults | PoolsResult:
    """Finds the smallest pool in which each trace runs without a failed allocation.

    `allocator`: one name or several; without it all allocators. `task`: fits the blocks of this
    task alone. `margin`: also recommends a size so many percent above the pool.

    `chip`, with `idf`: also whether Heapscope's heap pays in place of the one that a firmware for
    it has, in net bytes. Its `sdkconfig` tells the options, and its linker `map` how much code that
    heap has. `place`: rules for a pool, whose ends our heap follows. `need`: requests that a pool
    also has to have room for at every moment, such as 16717 or "4KB:DMA". `jitter`: so many
    perturbed runs also say which share of runs each pool serves.

    `pools`: what the pools hold that the program named, and which sizes of their blocks would hold
    least. `sizes`: also replays with these, as "NAME=INITIAL:INCREMENT". `calls`: heap calls that
    the advice may take, all traces together; None: as many as recorded.
    InputError: a trace, a name or a file cannot be used.
    """
    if pools:
        beside = {
            "--allocator": allocator,
            "--task": task,
            "--margin": margin,
            "--chip": chip,
            "--idf": idf,
            "--sdkconfig": sdkconfig,
            "--map": map,
            "--place": place,
            "--need": need,
            "--jitter": jitter,
        }
        _refuse(beside, "--pools: the sizes are those of the program's pools", "leave {} out")
        return _named_pools(traces, sizes, calls, progress)
    _refuse(
        {"--sizes": sizes, "--calls": calls},
        "no --pools: they are of pools that the program named",
        "add --pools",
    )
    perturbed = Jitter.requested(jitter, seed=jitter_seed, strength=jitter_strength)
    placement = None if place is None else pool_rules(place)
    needs = parse_requests([need] if isinstance(need, str | int) else need)
    if needs and task is not None:
        raise InputError(
            "--need and --task: the heap of one task has no room for the requests of others",
            remedy="leave one of them out",
        )
    firmware = _firmware(chip, idf, sdkconfig, map, task)
    entries: Sequence[str] = [allocator] if isinstance(allocator, str) else list(allocator)
    names = [parse_allocator(name) for name in entries]
    if firmware is not None:
        names += (firmware.before, firmware.after)
    names = list(dict.fromkeys(names or placements()))
    matches = [
        fit_one(
            trace,
            names,
            task=task,
            margin=margin,
            jitter=perturbed,
            placement=placement,
            needs=needs,
            reading=phase(progress, "reading"),
            progress=phase(progress, "fitting", parts=True),
            perturbing=phase(progress, "perturbed runs", parts=True),
        )
        for trace in traces
    ]
    if firmware is not None:
        matches = [with_verdict(results, firmware) for results in matches]
    return FitResults(
        tuple(
            with_word_size(result, trace, named=len(traces) > 1)
            for trace, results in zip(traces, matches, strict=True)
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
    calls: int | None,
    progress: OnProgress | None,
) -> PoolsResult:
    wanted = parse_sizes(sizes)
    read = [read_pools(Path(trace), progress=phase(progress, "reading")) for trace in traces]
    trying = phase(progress, "trying sizes", parts=True)
    result = pools_result(read, wanted=wanted, calls=calls, progress=trying)
    return with_word_size(result, *traces, named=len(traces) > 1)


def _firmware(
    chip: str | None,
    idf: str | None,
    sdkconfig: str | Path | None,
    map_file: str | Path | None,
    task: str | None,
) -> FirmwareHeap | None:
    """None: no chip is asked about."""
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
