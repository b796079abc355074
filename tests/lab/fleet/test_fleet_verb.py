"""Many devices: `heapscope log` of folders, of several files and of tables."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import pytest

import heapscope
from heapscope.base.errors import InputError
from heapscope.fleet.devices.columns import fleet_columns
from heapscope.fleet.devices.files import by_device
from heapscope.fleet.devices.fleet_result import FleetResult
from heapscope.logs.answer.log_result import LogResult

NEED = 16_717


def figures(draw: random.Random, build: str, *, leaks: bool, hours: int = 48) -> list[list[int]]:
    """Hour, free and largest; the build 1.1 has 3 per cent less."""
    base = 90_000 * (0.97 if build == "1.1" else 1.0) * draw.uniform(0.99, 1.01)
    lost = 1000 if leaks else 0
    return [
        [hour, int(base - lost * hour - draw.randrange(600)), int(50_000 - lost * hour)]
        for hour in range(hours)
    ]


def devices(draw: random.Random) -> dict[str, tuple[str, list[list[int]]]]:
    """Twelve of each of two builds; the last one leaks."""
    builds = ["1.0", "1.1"] * 12
    return {
        f"dev{at:02}": (build, figures(draw, build, leaks=at == 23))
        for at, build in enumerate(builds)
    }


def write_logs(folder: Path) -> None:
    for name, (build, rows) in devices(random.Random(4)).items():
        lines = [f"I (300) cpu_start: App version:      {build}\n"]
        lines += [
            f"I ({hour * 3_600_000 + 1000}) app: free heap {free}, largest free block {largest}\n"
            for hour, free, largest in rows
        ]
        (folder / f"{name}.log.1").write_text("".join(lines[:20]), encoding="utf-8")
        (folder / f"{name}.log").write_text("".join(lines[20:]), encoding="utf-8")


def write_table(path: Path) -> None:
    lines = ["time,device,fw,free_heap,largest_block\n"]
    for name, (build, rows) in devices(random.Random(4)).items():
        lines += [
            f"2026-03-{1 + hour // 24:02}T{hour % 24:02}:00:00,{name},{build},{free},{largest}\n"
            for hour, free, largest in rows
        ]
    path.write_text("".join(lines), encoding="utf-8")


def fleet_of(*sources: Path, **options: Any) -> FleetResult:
    result = heapscope.log(*sources, **options)
    assert isinstance(result, FleetResult)
    return result


def assert_found(result: FleetResult) -> None:
    assert result.devices == 24
    (worse,) = (row for row in result.differences if row.worse)
    assert (worse.build, worse.what, worse.devices) == ("1.1", "free", 12)
    assert worse.share is not None
    assert worse.low is not None
    assert worse.high is not None
    assert worse.low < -0.03 < worse.high
    assert result.verdict[0].startswith("Build 1.1 has ")
    (whole,) = (row for row in result.survival if not row.build)
    assert (whole.devices, whole.failed) == (24, 1)
    assert whole.curve[0][1] == pytest.approx(23 / 24)
    first = result.look_at[0]
    assert (first.device, first.verdict) == ("dev23", "leak")
    assert sum(row.dying for row in result.groups) == 1


def test_logs_of_many_devices_are_answered_by_build(tmp_path: Path) -> None:
    write_logs(tmp_path)
    assert_found(fleet_of(tmp_path, need=[NEED]))
    assert_found(fleet_of(*tmp_path.iterdir(), need=[NEED]))
    assert_found(fleet_of(tmp_path / "*.log*", need=[NEED]))


def test_a_table_of_many_devices_is_answered_by_build(tmp_path: Path) -> None:
    write_table(tmp_path / "fleet.csv")
    result = fleet_of(tmp_path / "fleet.csv", need=[NEED])
    assert_found(result)
    assert result.lines == 24 * 48


@pytest.mark.parametrize("kind", ["json", "parquet"])
def test_other_forms_of_the_table_say_the_same(kind: str, tmp_path: Path) -> None:
    import duckdb

    write_table(tmp_path / "fleet.csv")
    name = tmp_path / f"fleet.{'jsonl' if kind == 'json' else kind}"
    with duckdb.connect() as connection:
        connection.execute(
            f"COPY (SELECT * FROM read_csv('{tmp_path / 'fleet.csv'}', types={{'fw': 'VARCHAR'}})) "
            f"TO '{name}' (FORMAT {kind})"
        )
    assert_found(fleet_of(name, need=[NEED]))


def test_rows_that_are_none_are_counted(tmp_path: Path) -> None:
    path = tmp_path / "fleet.csv"
    write_table(path)
    with path.open("a", encoding="utf-8") as file:
        file.write("2026-03-03T00:00:00,dev00,1.0,oops,\nhello\n2026-03-03T01:00:00,dev00,1.0,,\n")
    result = fleet_of(path, need=[NEED])
    assert_found(result)
    assert any("3 rows without a size" in note for note in result.notes)


def test_without_the_extra_a_table_names_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_table(tmp_path / "fleet.csv")
    monkeypatch.setattr("heapscope.base.extras._is_there", lambda name: name != "duckdb")
    with pytest.raises(InputError, match="needs duckdb") as error:
        heapscope.log(tmp_path / "fleet.csv", need=[NEED])
    assert "duckdb" in (error.value.remedy or "")


def test_rotated_files_of_one_device_are_one_log(tmp_path: Path) -> None:
    rows = figures(random.Random(1), "1.0", leaks=True)
    lines = [
        f"I ({hour * 3_600_000 + 1000}) app: free heap {free}, largest free block {largest}\n"
        for hour, free, largest in rows
    ]
    for number, suffix in enumerate((".2", ".1", "")):
        part = lines[16 * number : 16 * number + 16]
        (tmp_path / f"device.log{suffix}").write_text("".join(part), encoding="utf-8")
    (tmp_path / "whole.log").write_text("".join(lines), encoding="utf-8")
    parts = heapscope.log(*tmp_path.glob("device.log*"), need=[2000])
    whole = heapscope.log(tmp_path / "whole.log", need=[2000])
    assert isinstance(parts, LogResult)
    assert isinstance(whole, LogResult)
    assert parts.trends == whole.trends
    assert parts.needs[0].until == whole.needs[0].until is not None
    assert parts.boots == 1
    assert any("3 files are read as one log, from device.log.2" in note for note in parts.notes)


@pytest.mark.parametrize(
    ("names", "devices"),
    [
        (["a.log", "a.log.1", "a.log.2.gz", "b.log"], {"a": 3, "b": 1}),
        (["dev-1.log", "dev-2.log", "dev-10.log"], {"dev-1": 1, "dev-2": 1, "dev-10": 1}),
        (["a-2026-01-02.log", "a-2026-01-01.log"], {"a": 2}),
        (["d1/x.log", "d1/x.log.1", "d2/x.log"], {"d1": 2, "d2": 1}),
        (["1.0/a.log", "1.0/b.log", "1.1/a.log"], {"1.0/a": 1, "1.0/b": 1, "1.1/a": 1}),
    ],
)
def test_files_are_told_apart_by_device(names: list[str], devices: dict[str, int]) -> None:
    held = by_device([Path("fleet") / name for name in names])
    assert {one.name: len(one.files) for one in held} == devices


def test_parts_are_in_the_order_of_time() -> None:
    (rotated,) = by_device([Path(f"a.log{end}") for end in ("", ".1", ".10.gz", ".2")])
    assert [file.name for file in rotated.files] == ["a.log.10.gz", "a.log.2", "a.log.1", "a.log"]
    (dated,) = by_device([Path(f"a-{day}.log") for day in ("20260103", "20260101")])
    assert [file.name for file in dated.files] == ["a-20260101.log", "a-20260103.log"]


def test_columns_are_known_by_their_headings() -> None:
    columns = fleet_columns(
        [
            "Timestamp",
            "Node ID",
            "FW Version",
            "free_heap_kb",
            "max_alloc",
            "min_free",
            "psram_free",
        ]
    )
    assert columns is not None
    assert (columns.device, columns.build, columns.time) == ("Node ID", "FW Version", "Timestamp")
    assert (columns.free, columns.largest, columns.units) == (
        "free_heap_kb",
        "max_alloc",
        (1024, 1),
    )
    assert fleet_columns(["time", "free", "largest"]) is None


def test_what_is_of_one_log_is_refused_of_many(tmp_path: Path) -> None:
    write_logs(tmp_path)
    with pytest.raises(InputError, match="--boot is about one log"):
        heapscope.log(tmp_path, boot=1)
    with pytest.raises(InputError, match="no file"):
        heapscope.log(tmp_path / "none*.log")
    for file in tmp_path.iterdir():
        file.write_text("hello\n", encoding="utf-8")
    with pytest.raises(InputError, match="tells of a heap"):
        heapscope.log(tmp_path)


def test_a_fleet_without_times_compares_no_lives(tmp_path: Path) -> None:
    for at in range(3):
        lines = [f"free heap {90_000 - 100 * line} largest {50_000}\n" for line in range(30)]
        (tmp_path / f"dev{at}.log").write_text("".join(lines), encoding="utf-8")
    result = fleet_of(tmp_path, need=[NEED])
    assert result.survival == ()
    assert any("tell no time" in note for note in result.notes)
