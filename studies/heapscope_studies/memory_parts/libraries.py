"""`python -m heapscope_studies.memory_parts.libraries [--check]`: what the linker maps of public
builds tell the forecast.

    data/memory/libraries.csv    by chip, release and library, the code and data in RAM: median of
                                 the builds, lowest and highest, and how many builds and projects
    data/memory/built.csv        what a program leaves beside its own code and data, in a default
                                 build; few programs have the SDK's start-up alone, so that drivers
                                 which no option tells of are in it

A library is listed that a third of all builds have; builds that are not optimised as by default, or
have PSRAM, are left aside. `--check` fails (exit code 1) when a file would change.
"""

from __future__ import annotations

import csv
import functools
import io
import sys
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from statistics import median

from heapscope.base.whole_file import write_whole
from heapscope.forecast.predict.memory_fit import FILE
from heapscope.forecast.predict.memory_states import DRAM, IRAM, default_statics
from heapscope_studies.memory_parts.measured_runs import Build, builds, library_sizes

#: By how much programs that do the same differ, in what they use of the SDK: half of a band that
#: holds two of three.
DOUBT = 2500
#: Firmware of the runs, whose maps have what a radio adds, and libraries that it adds nothing to.
_RUN, _RUN_SDK = "wifi-", "5.5"
_WITHOUT_RADIO = ("heap",)
_OWN = "own"
_PART = 3  # of so many builds one has a library that is listed


def _libraries() -> Iterator[Mapping[str, object]]:
    sizes = library_sizes()
    usual = [
        (build.id, build.chip, build.minor, build.owner)
        for build in builds()
        if build.id in sizes and _is_usual(build)
    ]
    usual += [(name, name.removeprefix(_RUN), _RUN_SDK, "") for name in sizes if _RUN in name]
    of: dict[tuple[str, str, str], list[tuple[str, int, int]]] = defaultdict(list)
    for name, chip, release, owner in usual:
        for library, (code, data) in sizes[name].items():
            if library in _listed() and (owner or library in _WITHOUT_RADIO):
                of[chip, release, library].append((owner, code, data))
    for (chip, release, library), known in sorted(of.items()):
        codes, datas = [code for _, code, _ in known], [data for _, _, data in known]
        yield {
            "chip": chip,
            "sdk": release,
            "library": library,
            "builds": len(known),
            "projects": len({owner for owner, _, _ in known}),
            "code": round(median(codes)),
            "code_low": min(codes),
            "code_high": max(codes),
            "data": round(median(datas)),
            "data_low": min(datas),
            "data_high": max(datas),
        }


@functools.cache
def _listed() -> frozenset[str]:
    sizes = library_sizes()
    having = Counter(library for of in sizes.values() for library in of)
    return frozenset(
        library
        for library, count in having.items()
        if count * _PART >= len(sizes) and not library.startswith("(") and library != _OWN
    )


def _is_usual(build: Build) -> bool:
    scene = build.model.scene
    others = ("COMPILER_OPTIMIZATION_PERF", "COMPILER_OPTIMIZATION_SIZE", "SPIRAM")
    return not any(map(scene.on, others))


def _built() -> Iterator[Mapping[str, object]]:
    """A project's builds are one row a chip and release: their median."""
    of: dict[tuple[str, str, str], list[tuple[float, float | None, Build]]] = defaultdict(list)
    for build in builds():
        if build.own is not None and not build.links:
            more = _more_than_default(build, DRAM)
            iram = None if build.iram is None else build.iram + _more_than_default(build, IRAM)
            of[build.chip, build.minor, build.owner].append(
                (build.dram + build.own + more, iram, build)
            )
    for (chip, release, owner), known in sorted(of.items()):
        build = known[0][2]
        irams = [iram for _, iram, _ in known if iram is not None]
        yield {
            "chip": chip,
            "sdk": release,
            "at": "boot",
            "free_dram": round(median(dram for dram, _, _ in known)),
            "free_iram": round(median(irams)) if irams else "",
            "doubt": DOUBT,
            "what": "program of a public project",
            "source": f"{owner} {build.source.split('/', 1)[1]}",
        }


def _more_than_default(build: Build, place: str) -> float:
    """Bytes that its options take more than a default build's, static parts alone; with memory that
    another number of cores leaves."""
    model = build.model
    scene = model.scene
    default = default_statics(scene.config.chip, scene.minor, place)
    here = sum(each.taken for each in model.held("boot") if each.place == place)
    cores = model.all_cores_memory
    memory = scene.memory.dram - cores.dram if place == DRAM else scene.memory.iram - cores.iram
    return here - sum(each.taken for each in default) - memory


def _csv(rows: Sequence[Mapping[str, object]]) -> str:
    out = io.StringIO()
    writer = csv.DictWriter(out, list(rows[0]), lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return out.getvalue()


def main(arguments: Sequence[str]) -> int:
    stale = 0
    for name, rows in (("libraries", _libraries), ("built", _built)):  # the second takes the first
        file, text = FILE.with_name(f"{name}.csv"), _csv(list(rows()))
        if "--check" not in arguments:
            write_whole(file, text.encode())
        elif file.read_text(encoding="utf-8") != text:
            print(f"{file.name} is not what the builds give; write it anew: without --check")
            stale = 1
    return stale


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
