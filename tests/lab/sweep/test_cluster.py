"""Sweeps on a cluster: which one may be used, and that its workers give what one process gives."""

from __future__ import annotations

import errno
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

from heapscope.base.errors import HeapscopeError, InputError
from heapscope.fleet.sweep.cluster import Tls, check_address, check_workers
from heapscope.fleet.sweep.drive import drive
from heapscope.fleet.sweep.output import opened
from heapscope.fleet.sweep.plan_file import read_plan

from .conftest import run_here, sorted_bytes

WritePlan = Callable[..., Path]
TLS = Tls(ca=Path("ca.pem"), cert=Path("cert.pem"), key=Path("key.pem"))

TEXT = (
    'traces = ["small.hst", "broken.hst", "large.hst"]\n[[grid]]\nsdkconfig = ["", "a/sdkconfig"]\n'
    'chip = ["esp32", "esp32s3"]\n'
)


@contextmanager
def threads() -> Iterator[Any]:
    """A whole cluster in this process."""
    from distributed import Client

    with Client(
        processes=False, n_workers=2, threads_per_worker=1, dashboard_address=None
    ) as client:
        yield client


@pytest.fixture
def configured(write_plan: WritePlan, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A plan of several batches with a file that its cells need."""
    monkeypatch.setattr(import_module("heapscope.fleet.sweep.plan"), "BATCH_EVENTS", 700)
    (tmp_path / "a").mkdir()
    (tmp_path / "a" / "sdkconfig").write_text("CONFIG_HEAP_POISONING_LIGHT=y\n", encoding="utf-8")
    return write_plan(TEXT)


def test_a_cluster_gives_what_one_process_gives(configured: Path, tmp_path: Path) -> None:
    source = read_plan(configured)
    assert len(list(source.plan.batches())) == 4
    run_here(source, tmp_path / "here")
    seen: list[tuple[int, int]] = []
    with threads() as client, opened(tmp_path / "there", source.plan) as output:
        driven = drive(client, source, output, lambda done, total: seen.append((done, total)))
    assert sorted_bytes(tmp_path / "there") == sorted_bytes(tmp_path / "here")
    assert driven.cells == source.plan.cell_count
    assert driven.failed == 4, "those of the file that is not a trace"
    assert seen[0] == (0, source.plan.cell_count)
    assert seen[-1] == (source.plan.cell_count, source.plan.cell_count)
    assert 0 < driven.replaying <= driven.seconds


def test_only_what_is_missing_is_replayed(configured: Path, tmp_path: Path) -> None:
    source = read_plan(configured)
    run_here(source, tmp_path / "out", leave_out=2)
    with threads() as client, opened(tmp_path / "out", source.plan) as output:
        driven = drive(client, source, output)
    run_here(source, tmp_path / "whole")
    assert driven.cells == sum(batch.cells for batch in list(source.plan.batches())[-2:])
    assert sorted_bytes(tmp_path / "out") == sorted_bytes(tmp_path / "whole")


def test_a_result_that_is_lost_with_its_worker_is_waited_for_once_more(
    configured: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    drive_module = import_module("heapscope.fleet.sweep.drive")
    whole = drive_module._arrived
    lost: list[str] = []

    def losing(coming: Any, client: Any) -> Iterator[Any]:
        """The first batch is lost when it has arrived, and then is there again."""
        for future in whole(coming, client):
            if not lost:
                lost.append(future.key)
                future._state.lose()
                client._send_to_scheduler({"op": "report-key", "key": future.key})
            yield future

    monkeypatch.setattr(drive_module, "_arrived", losing)
    source = read_plan(configured)
    run_here(source, tmp_path / "here")
    with threads() as client, opened(tmp_path / "there", source.plan) as output:
        drive(client, source, output)
    assert lost
    assert sorted_bytes(tmp_path / "there") == sorted_bytes(tmp_path / "here")


def test_a_worker_of_another_version_is_refused_by_name(
    configured: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with threads() as client:
        monkeypatch.setattr(import_module("heapscope.fleet.sweep.cluster"), "__version__", "9.9")
        with pytest.raises(InputError, match=r"worker .*: has Heapscope .*, and this is 9\.9"):
            check_workers(client, "tcp://127.0.0.1:1")
        monkeypatch.undo()
        source = read_plan(configured)
        monkeypatch.setattr(import_module("heapscope.fleet.sweep.worker"), "__version__", "0.1")
        with (
            pytest.raises(HeapscopeError, match=r"worker .*: has Heapscope 0\.1"),
            opened(tmp_path / "out", source.plan) as output,
        ):
            drive(client, source, output)


def test_a_worker_that_cannot_go_on_is_reported_and_what_is_kept_stays(
    configured: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    source = read_plan(configured)
    run_here(source, tmp_path / "out", leave_out=1)

    def full(*results: object) -> bytes:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(import_module("heapscope.fleet.sweep.worker"), "parquet_bytes", full)
    with (
        threads() as client,
        opened(tmp_path / "out", source.plan) as output,
        pytest.raises(HeapscopeError, match=r"batch 3: .*No space left"),
    ):
        drive(client, source, output)
    assert output.done() == {0, 1, 2}


def test_a_trace_that_changes_while_it_is_swept_is_reported(
    configured: Path, tmp_path: Path, traces: dict[str, Path]
) -> None:
    source = read_plan(configured)
    traces["large"].write_bytes(traces["small"].read_bytes())
    with (
        threads() as client,
        opened(tmp_path / "out", source.plan) as output,
        pytest.raises(HeapscopeError, match=r"large\.hst: its content is not what the plan says"),
    ):
        drive(client, source, output)


@pytest.mark.parametrize(
    ("address", "tls", "text"),
    [
        ("tcp://127.0.0.1:8786", None, ""),
        ("tcp://[::1]:8786", None, ""),
        ("tcp://localhost:8786", None, ""),
        ("tls://cluster.example:8786", TLS, ""),
        ("tcp://192.0.2.7:8786", None, "without TLS"),
        ("tcp://cluster.example:8786", None, "without TLS"),
        ("tcp://127.0.0.1.example:8786", None, "without TLS"),
        ("tcp://0.0.0.0:8786", None, "without TLS"),
        ("tls://cluster.example:8786", None, "TLS needs its files"),
        ("tcp://127.0.0.1:8786", TLS, "an address without it"),
        ("127.0.0.1:8786", None, "not an address"),
        ("http://127.0.0.1:8786", None, "not an address"),
        ("tcp://127.0.0.1", None, "not an address"),
        ("tcp://127.0.0.1:99999", None, "not an address"),
        ("inproc://a/1/1", None, "not an address"),
    ],
)
def test_beyond_the_loopback_there_is_tls_or_nothing(
    address: str, tls: Tls | None, text: str
) -> None:
    if not text:
        check_address(address, tls)
        return
    with pytest.raises(InputError, match=text) as refused:
        check_address(address, tls)
    assert refused.value.remedy
