"""How exact a translation is: the sizes of a 64-bit recording against those of the same program,
built for 32 bit, request by request within each line of the source.

    .venv/bin/python benches/bench_translate.py WIDE.hst PROGRAM NARROW.hst

Both recordings have stacks (`heapscope record --stacks 24`), and the 32-bit build has
`-m32 -malign-double`, since chips align long long and double to their size.
"""

from __future__ import annotations

import sys
from collections import Counter, defaultdict
from collections.abc import Callable
from pathlib import Path

from heapscope.capture.translate.program import ProgramFile
from heapscope.capture.translate.rewrite import read_wide, sizes_of
from heapscope.capture.translate.site_types import SiteTypes
from heapscope.native.events import Events, keep_events, take_events
from heapscope.native.reader import NameTable, NativeReader
from heapscope.trace.call_sites import SEPARATOR
from heapscope.trace.feed import read_trace
from heapscope.trace.fold_sites import IN_LIBRARY, without_allocators

_REQUESTS = (1, 2, 3, 4)  # hs_event_kind_t


def line_of(name: bytes | None) -> str:
    """The line that asked the allocator; of a library without a line its function."""
    frames = [frame.decode() for frame in reversed((name or b"").split(SEPARATOR))]
    leaf = next(iter(without_allocators(frames)), "")
    function, _, place = leaf.partition(IN_LIBRARY)[0].partition(" (")
    return f"{function.partition('.')[0]} ({place}"


def requests(
    trace: Path, requested_by: Callable[[bytes | None], str | None]
) -> dict[str, list[tuple[int, int]]]:
    """Site and size of each request, in order, by what its site's name tells; None: left out."""
    rows: list[Events] = []
    with NativeReader() as reader:
        keep_events(reader)
        reader.after_each_piece(lambda: rows.extend(take_events(reader)))
        read_trace(trace, reader)
        names = reader.names(NameTable.SITE)
    result: dict[str, list[tuple[int, int]]] = defaultdict(list)
    for row in (row for piece in rows for row in piece):
        who = requested_by(names.get(row["site"])) if row["kind"] in _REQUESTS else None
        if who is not None:
            result[who].append((int(row["site"]), int(row["size"])))
    return result


def compare(wide: Path, program: Path, narrow: Path) -> Counter[str]:
    """Bytes, as recorded: exact, bounded, wrong, outside of the bounds, not compared."""
    requested = read_wide(wide)
    with ProgramFile(program) as read:
        sizes = sizes_of(requested, SiteTypes({"": read}))
    known = {(site, one.recorded): one for site, all_of in sizes.items() for one in all_of.sizes}
    right = requests(narrow, line_of)
    result: Counter[str] = Counter()
    for line, left in requests(wide, line_of).items():
        if len(right.get(line, ())) != len(left):
            result["not compared"] += sum(size for _, size in left)
            continue
        for each, (_, size) in zip(left, right[line], strict=True):
            one = known[each]
            fits = one.lower <= size <= one.upper
            if one.exact:
                result["exact" if fits else "wrong"] += one.recorded
            else:
                result["bounded" if fits else "outside"] += one.recorded
    return result


def main() -> None:
    result = compare(*map(Path, sys.argv[1:4]))
    total = result.total()
    for kind in ("exact", "bounded", "wrong", "outside", "not compared"):
        print(f"{kind:>12}: {result[kind]:>12,} B  {100 * result[kind] / max(total, 1):5.1f} %")


if __name__ == "__main__":
    main()
