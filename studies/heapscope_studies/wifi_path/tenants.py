"""studies/workloads/tenants beside the real lwIP: the same transfers at the same options."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from statistics import median

from heapscope.forecast.predict.wifi_table import WifiRow
from heapscope_studies.conclusion import concluded
from heapscope_studies.result import Check, Column, Table
from heapscope_studies.wifi_path.measured import Link, read_heap, traced_rows

CHIP = "esp32"
TASKS = ("wifi", "tcpip")


@dataclass(frozen=True, kw_only=True)
class Beside:
    """Peaks beyond the start, bytes, by task."""

    row: WifiRow
    lwip: dict[str, int]
    tenants: dict[str, int]

    @property
    def share(self) -> float:
        """The generator's to lwIP's, of both tasks' peaks."""
        return sum(self.tenants.values()) / sum(self.lwip.values())


def compared() -> tuple[Beside, ...]:
    built = []
    for row in traced_rows():
        if row.knobs.chip == CHIP:
            name = row.id.removeprefix(f"{CHIP}-").replace("-", "_")
            lwip, tenants = (
                {task: read_heap(f"{who}_at_{name}", ()).task_most(task) for task in TASKS}
                for who in ("wifi", "tenants")
            )
            built.append(Beside(row=row, lwip=lwip, tenants=tenants))
    return tuple(built)


def checks(link: Link) -> Iterator[Check]:
    for name, sizes in link.sizes.items():
        yield Check(
            what=f"bytes of lwIP's struct {name} in studies/workloads/tenants, and compiled",
            published=sizes["tenants"],
            computed=sizes["lwip"],
        )


def figures(besides: tuple[Beside, ...]) -> dict[str, dict[str, float]]:
    shares = [one.share for one in besides]
    return {
        "wifi_tenants": {
            "share_median": round(median(shares), 3),
            "share_least": round(min(shares), 3),
            "share_most": round(max(shares), 3),
        }
    }


def findings(besides: tuple[Beside, ...]) -> Iterator[str]:
    shares = [one.share for one in besides]
    yield (
        f"workloads/tenants, the generator of Wi-Fi's and lwIP's memory, takes {min(shares):.2f} "
        f"to {max(shares):.2f} times what the real lwIP does at the same options (median "
        f"{median(shares):.2f}). Its structures and blocks have lwIP's sizes to the byte"
        + concluded(
            median(shares) > 1,
            "; it has a whole window under way at once, which lwIP has only while nothing is "
            "lost, and hands a full send buffer to the driver at a stroke.",
            ".",
        )
    )


def tables(besides: tuple[Beside, ...]) -> Iterator[Table]:
    yield Table(
        key="tenants",
        title="workloads/tenants and lwIP: peaks beyond the start, one TCP transfer each way",
        columns=(
            Column(key="rank", heading="Rank", name=True),
            *(
                Column(
                    key=f"{task}_{who}",
                    heading=f"{task}: {heading}",
                    unit="bytes",
                    signed=who == "difference",
                )
                for task in TASKS
                for who, heading in (
                    ("lwip", "lwIP"),
                    ("tenants", "tenants"),
                    ("difference", "difference"),
                )
            ),
            Column(key="share", heading="tenants to lwIP", ratio=True),
        ),
        rows=tuple(
            (
                one.row.id,
                *(
                    cell
                    for task in TASKS
                    for cell in (
                        one.lwip[task],
                        one.tenants[task],
                        one.tenants[task] - one.lwip[task],
                    )
                ),
                round(one.share, 3),
            )
            for one in besides
        ),
        notes=(
            "round trip of 60 ms (the generator: 40 and about 20), 1 % lost, read after 4 ms (the "
            "generator: mostly), at most 12 segments out of order; 400 000 bytes each way, by one "
            "seed",
            "the driver's transmit buffers are the TCP/IP task's, which asks for them",
            "of the generator's TCP/IP task, messages and mailboxes are in it, which lwIP without "
            "an operating system has not",
        ),
    )
