"""Workers, the scheduler and the client are killed at random points, and the results are those of
an undisturbed run, byte for byte after sorting."""

from __future__ import annotations

import contextlib
import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import psutil
import pytest
from needs import need_program

from heapscope.fleet.sweep.plan_file import read_plan

from .conftest import run_here, sorted_bytes

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(sys.platform == "win32", reason="SIGKILL is needed"),
]

WritePlan = Callable[..., Path]

#: The command with batches of a twentieth of a second, so that there are many points.
COMMAND = (
    "import sys; from importlib import import_module; from heapscope.cli.entry import main; "
    "import_module('heapscope.fleet.sweep.plan').BATCH_EVENTS = 400_000; main()"
)
GATEWAY = Path(__file__).resolve().parents[3] / "studies/workloads/captured/mix_gateway.hst.zst"
TEXT = f"""
traces = ["{GATEWAY.as_posix()}", "small.hst", "broken.hst"]
[[grid]]
pool = {{ from = "200KB", to = "300KB", step = "4KB" }}
allocator = ["idf-5.5", "tlsf"]
"""
SEARCH = f"""
traces = ["{GATEWAY.with_name("script_json.hst.zst").as_posix()}", "small.hst", "broken.hst"]
[jitter]
runs = 20
[[grid]]
pool = ["240KB", "least"]
allocator = ["idf-5.5", "heapscope"]
"""
TRIES = 60  # runs of the command at most


def command(plan: Path, folder: Path, *more: str, before: str = "") -> subprocess.Popen[str]:
    """`before`: Python that the process runs first."""
    program = f"{before}\n{COMMAND}"
    words = [sys.executable, "-c", program, "sweep", str(plan), "-o", str(folder), *more]
    return subprocess.Popen(
        words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True
    )


def kept(folder: Path) -> int:
    return len(list(folder.glob("cells/part=*/batch-*.parquet")))


def wait_for(folder: Path, batches: int, process: subprocess.Popen[str]) -> None:
    """Until so many batches are there, or the command is over."""
    while kept(folder) < batches and process.poll() is None:
        time.sleep(0.01)


def killed(process: psutil.Process) -> None:
    with contextlib.suppress(psutil.NoSuchProcess):
        process.kill()


def below(process: subprocess.Popen[str]) -> list[psutil.Process]:
    """Its processes; none where it has ended."""
    with contextlib.suppress(psutil.NoSuchProcess):
        results: list[psutil.Process] = psutil.Process(process.pid).children(recursive=True)
        return results
    return []


def words_of(process: psutil.Process) -> str:
    """Its command; empty where it has ended, which one that was killed before may have."""
    with contextlib.suppress(psutil.NoSuchProcess):
        return " ".join(process.cmdline())
    return ""


@pytest.fixture
def plan(write_plan: WritePlan) -> Path:
    return write_plan(TEXT)


@pytest.fixture
def undisturbed(plan: Path, tmp_path: Path) -> bytes:
    run_here(read_plan(plan), tmp_path / "undisturbed")
    return sorted_bytes(tmp_path / "undisturbed")


def test_killed_workers_change_nothing(
    plan: Path, undisturbed: bytes, tmp_path: Path, seed: int
) -> None:
    print(f"seed {seed}")
    chance = random.Random(seed)
    folder = tmp_path / "out"
    with command(plan, folder, "--workers", "2") as process:
        for _ in range(5):
            wait_for(folder, kept(folder) + chance.randint(1, 8), process)
            time.sleep(chance.random() * 0.1)
            if process.poll() is not None:
                break
            workers = [one for one in below(process) if "spawn_main" in words_of(one)]
            if workers:
                killed(chance.choice(workers))
        output, errors = process.communicate(timeout=300)
    assert process.returncode == 0, errors
    assert "All" in output
    assert sorted_bytes(folder) == undisturbed


def test_a_killed_client_goes_on_where_it_was(
    plan: Path, undisturbed: bytes, tmp_path: Path, seed: int
) -> None:
    print(f"seed {seed}")
    chance = random.Random(seed)
    folder = tmp_path / "out"
    for turn in range(TRIES):
        before = kept(folder)
        with command(plan, folder, "--workers", "2") as process:
            if turn < 3:
                wait_for(folder, before + chance.randint(1, 12), process)
                time.sleep(chance.random() * 0.1)
                children = below(process)
                process.kill()
                _, alive = psutil.wait_procs(children, timeout=60)
                assert alive == [], "workers outlive their client"
            process.communicate(timeout=300)
        assert kept(folder) >= before
        if process.returncode == 0:
            break
    assert sorted_bytes(folder) == undisturbed


def test_a_killed_search_over_perturbed_runs_goes_on_where_it_was(
    write_plan: WritePlan, tmp_path: Path, seed: int
) -> None:
    print(f"seed {seed}")
    chance = random.Random(seed)
    plan = write_plan(SEARCH)
    run_here(read_plan(plan), tmp_path / "undisturbed")
    folder = tmp_path / "out"
    for turn in range(TRIES):
        with command(plan, folder, "--workers", "2") as process:
            if turn < 2:
                wait_for(folder, kept(folder) + chance.randint(1, 6), process)
                children = below(process)
                process.kill()
                _, alive = psutil.wait_procs(children, timeout=60)
                assert alive == [], "workers outlive their client"
            elif turn == 2:
                wait_for(folder, kept(folder) + 1, process)
                for worker in below(process):
                    if "spawn_main" in words_of(worker):
                        killed(worker)
            _, errors = process.communicate(timeout=300)
        if process.returncode == 0:
            break
    assert process.returncode == 0, errors
    assert sorted_bytes(folder) == sorted_bytes(tmp_path / "undisturbed")


def test_an_interrupted_client_leaves_nothing_behind(
    plan: Path, undisturbed: bytes, tmp_path: Path
) -> None:
    folder = tmp_path / "out"
    with command(plan, folder, "--workers", "2") as process:
        wait_for(folder, 3, process)
        children = below(process)
        os.kill(process.pid, signal.SIGINT)
        output, errors = process.communicate(timeout=60)
        assert process.returncode == 130, errors
        assert output == ""
        assert "Traceback" not in errors
        _, alive = psutil.wait_procs(children, timeout=60)
        assert alive == []
    with command(plan, folder, "--workers", "1") as process:
        process.communicate(timeout=300)
    assert sorted_bytes(folder) == undisturbed


@contextlib.contextmanager
def started(*words: str) -> Iterator[subprocess.Popen[bytes]]:
    with subprocess.Popen(
        [sys.executable, "-m", *words], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    ) as process:
        try:
            yield process
        finally:
            process.kill()


@contextlib.contextmanager
def cluster(
    folder: Path, *tls: str, host: str = "127.0.0.1"
) -> Iterator[tuple[str, subprocess.Popen[bytes]]]:
    """A scheduler on a free port of the loopback, with two workers; its address."""
    import json

    about = folder / "scheduler.json"
    about.unlink(missing_ok=True)
    own = ("--host", host, "--port", "0", "--no-dashboard", "--scheduler-file", str(about), *tls)
    worker = (
        *tls,
        "--scheduler-file",
        str(about),
        "--nthreads",
        "1",
        "--no-dashboard",
        "--no-nanny",
    )
    place = ("--local-directory", str(folder), "--host", host, "--death-timeout", "120")
    with started("distributed.cli.dask_scheduler", *own) as scheduler:
        address = None
        while address is None:  # the scheduler writes the file, which is there before its content
            assert scheduler.poll() is None, "the scheduler did not start"
            time.sleep(0.1)
            with contextlib.suppress(FileNotFoundError, json.JSONDecodeError):
                address = json.loads(about.read_bytes())["address"]
        with (
            started("distributed.cli.dask_worker", *worker, *place),
            started("distributed.cli.dask_worker", *worker, *place),
        ):
            yield address, scheduler


#: Where the client stops itself, so that no luck decides what the kill of the scheduler meets.
#: `{calls}`: the call of this function after which it does.
STOPPING = """
import functools, itertools, os, signal
from distributed import Client
from heapscope.fleet.sweep.output import Output

def stop_at(owner, name, call):
    whole, calls = getattr(owner, name), itertools.count(1)

    @functools.wraps(whole)
    def stopping(*args, **kwargs):
        if next(calls) == call:
            os.kill(os.getpid(), signal.SIGSTOP)
        return whole(*args, **kwargs)

    setattr(owner, name, stopping)

stop_at({owner}, "{name}", {call})
"""


def stopped(process: subprocess.Popen[str]) -> None:
    """Waits until the command has stopped itself."""
    while process.poll() is None:
        if psutil.Process(process.pid).status() == psutil.STATUS_STOPPED:
            return
        time.sleep(0.01)
    pytest.fail("the command is over before its scheduler was killed")


@pytest.mark.parametrize(
    ("owner", "name", "most"),
    [
        ("Client", "run", 1),  # the workers are not asked yet
        ("Client", "nthreads", 1),
        ("Client", "submit", 40),  # the plan's files and batches
        ("Client", "_gather_remote", 40),  # a batch is done, and its result not here
        ("Output", "put", 40),  # its result is here, and not kept
    ],
)
def test_a_killed_scheduler_is_named_and_the_sweep_goes_on_with_another(
    owner: str, name: str, most: int, plan: Path, undisturbed: bytes, tmp_path: Path, seed: int
) -> None:
    call = random.Random(f"{seed} {name}").randint(1, most)
    print(f"seed {seed}, {owner}.{name}, call {call} of at most {most}")
    folder = tmp_path / "out"
    stopping = STOPPING.format(owner=owner, name=name, call=call)
    with (
        cluster(tmp_path) as (address, scheduler),
        command(plan, folder, "--scheduler", address, before=stopping) as process,
    ):
        stopped(process)
        scheduler.kill()
        scheduler.wait()
        process.send_signal(signal.SIGCONT)
        _, errors = process.communicate(timeout=300)
        assert process.returncode == 2, errors
        assert "the scheduler is lost" in errors
        assert "Traceback" not in errors
    with (
        cluster(tmp_path) as (address, _),
        command(plan, folder, "--scheduler", address) as process,
    ):
        _, errors = process.communicate(timeout=300)
        assert process.returncode == 0, errors
    assert sorted_bytes(folder) == undisturbed


def test_a_cluster_with_tls_gives_the_same(plan: Path, undisturbed: bytes, tmp_path: Path) -> None:
    need_program("openssl", package="openssl", ask="version")
    cert, key = tmp_path / "cert.pem", tmp_path / "key.pem"
    built = ("openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2")
    named = ("-subj", "/CN=127.0.0.1", "-keyout", str(key), "-out", str(cert))
    subprocess.run([*built, *named], check=True, capture_output=True)
    tls = ("--tls-ca-file", str(cert), "--tls-cert", str(cert), "--tls-key", str(key))
    ours = ("--tls-ca", str(cert), "--tls-cert", str(cert), "--tls-key", str(key))
    with (
        cluster(tmp_path, *tls, host="tls://127.0.0.1") as (address, _),
        command(plan, tmp_path / "out", "--scheduler", address, *ours) as process,
    ):
        _, errors = process.communicate(timeout=300)
        assert process.returncode == 0, errors
    assert address.startswith("tls://")
    assert sorted_bytes(tmp_path / "out") == undisturbed


def test_a_local_cluster_listens_on_the_loopback_alone() -> None:
    from heapscope.fleet.sweep.cluster import local_cluster

    with local_cluster(1):
        here = psutil.Process()
        processes = [here, *here.children(recursive=True)]
        listening = {
            (one.laddr.ip, one.laddr.port)
            for process in processes
            for one in process.net_connections()
            if one.status == psutil.CONN_LISTEN
        }
    assert listening
    assert {address for address, _ in listening} == {"127.0.0.1"}
    assert {port for _, port in listening}.isdisjoint({8786, 8787})
