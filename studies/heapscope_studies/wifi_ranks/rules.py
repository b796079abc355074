"""The ranks against what the guide's own text says of their options."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from heapscope.forecast.predict.wifi_table import WifiRow, ranks
from heapscope_studies.result import Column, Table


def findings() -> Iterator[str]:
    broken = _broken()
    yield (
        f"{len(broken)} of the {len(ranks())} ranks have a block ack window other than the guide's "
        f"own rule gives: the smaller of twice the static RX buffers and the dynamic ones."
    )


def tables(inconsistent: Sequence[str]) -> Iterator[Table]:
    yield Table(
        key="rules",
        title="Ranks whose block ack window is not that of the guide's rule",
        columns=(
            Column(key="chip", heading="Chip", name=True),
            Column(key="psram", heading="PSRAM", name=True),
            Column(key="rank", heading="Rank", name=True),
            Column(key="window", heading="RX_BA_WIN"),
            Column(key="rule", heading="by the rule"),
        ),
        rows=tuple(
            (row.knobs.chip, row.knobs.psram, row.label, row.knobs.rx_ba_win, _rule(row))
            for row in _broken()
        ),
        notes=tuple(f"seen in the published tables: {each}" for each in inconsistent),
    )


def _broken() -> list[WifiRow]:
    return [row for row in ranks() if row.knobs.rx_ba_win != _rule(row)]


def _rule(row: WifiRow) -> int:
    return min(2 * row.knobs.static_rx, row.knobs.dynamic_rx)
