"""Three changes of the firmware: each predicted from a recording without it, then built and run."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from emulation.firmware.build import Options
from heapscope.answers.why.recording import Edit, are_heap_events, read_recording
from heapscope.memory.layout.layout import Layout
from heapscope.memory.layout.place_file import read_placement
from heapscope.simulation.replay.run import replay
from heapscope.simulation.result.result import ReplayResult

__all__ = ["BASE", "CHANGES", "POOL_SIZE", "Change"]

#: Predicts: the recording, its memory, the sets of capabilities, a folder for files.
Predict = Callable[[Path, Layout, tuple[int, ...], Path], ReplayResult]

BASE = Options()
SMALL_RECORDS = 4096
OTHER_ORDER = ("DTCM", "PSRAM", "DRAM", "IRAM")
NODES = 512
#: cJSON's node where pointers have 4 bytes, and hs_fixed_memory(NODES, NODE_SIZE, 8) there.
NODE_SIZE = 40
POOL_SIZE = NODE_SIZE * NODES + NODES // 8 + 44 + 10


@dataclass(frozen=True)
class Change:
    name: str
    options: Options
    predict: Predict


def smaller_records(
    recording: Path, layout: Layout, sets: tuple[int, ...], folder: Path
) -> ReplayResult:
    """Buffers that hold a whole record are smaller by what the record is."""
    source = read_recording(recording)
    sizes: dict[int, int] = {}
    for rows, numbers in source.events():
        at = np.flatnonzero(are_heap_events(rows) & (rows["size"] >= BASE.tls_in))
        saved = BASE.tls_in - SMALL_RECORDS
        sizes |= {int(numbers[i]): int(rows["size"][i]) - saved for i in at}
    edited = folder / "smaller_records.hst"
    edited.write_bytes(b"".join(source.edited(Edit(sizes=sizes))))
    return replay(edited, layout, capsets=sets)


def other_order(
    recording: Path, layout: Layout, sets: tuple[int, ...], folder: Path
) -> ReplayResult:
    """The same regions, asked in another order."""
    order = {name: place for place, name in enumerate(OTHER_ORDER)}
    regions = tuple(sorted(layout.regions, key=lambda region: order[region.kind]))
    return replay(recording, replace(layout, regions=regions), capsets=sets)


def pool(recording: Path, layout: Layout, sets: tuple[int, ...], folder: Path) -> ReplayResult:
    """Nodes of the JSON reader in memory of their own, as a rule of --place."""
    rules = folder / "pool.toml"
    rules.write_text(
        f'[[private]]\nname = "nodes"\nsize = {POOL_SIZE}\n\n[[rule]]\ntask = "json"\n'
        f'size = [{NODE_SIZE}, {NODE_SIZE}]\nprivate = "nodes"\nfallback = true\n',
        "utf-8",
    )
    return replay(recording, layout, capsets=sets, placement=read_placement(rules, layout))


CHANGES = (
    Change("TLS records of 4 KB", replace(BASE, tls_in=SMALL_RECORDS), smaller_records),
    Change("DTCM and PSRAM asked first", replace(BASE, regions=OTHER_ORDER), other_order),
    Change(f"a pool of {NODES} JSON nodes", replace(BASE, nodes=NODES), pool),
)
