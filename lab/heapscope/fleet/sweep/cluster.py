"""The cluster that a sweep runs on: this machine's processors, or a scheduler that is there."""

from __future__ import annotations

import ipaddress
import logging
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from heapscope.base.child_process import safe_children
from heapscope.base.errors import HeapscopeError, InputError
from heapscope.base.interrupt import scratch_folder
from heapscope.base.printable import printable
from heapscope.base.version import __version__
from heapscope.fleet.sweep.worker import version_here

if TYPE_CHECKING:
    from distributed import Client

LOOPBACK = "127.0.0.1"
_WAIT = 30  # seconds for the first worker, and for an answer of a scheduler

#: Workers that a batch may lose before dask gives it up: those that are killed are not its fault.
DEATHS = 20


#: Nothing looks at what dask measures of itself, which costs a tenth of a processor; nothing is
#: served to browsers; a batch never moves to another worker, since the next ones are short.
_SETTINGS = {
    "distributed.scheduler.allowed-failures": DEATHS,
    "distributed.scheduler.work-stealing": False,
    "distributed.scheduler.active-memory-manager.start": False,
    "distributed.scheduler.http.routes": [],
    "distributed.worker.http.routes": [],
    "distributed.worker.profile.enabled": False,
    "distributed.worker.profile.interval": "10s",
    "distributed.worker.profile.cycle": "1000s",
    "distributed.worker.memory.monitor-interval": "10s",
    "distributed.admin.tick.interval": "2s",
    "distributed.admin.tick.cycle": "5s",
    "distributed.admin.system-monitor.interval": "10s",
    "distributed.admin.system-monitor.disk": False,
    "distributed.admin.system-monitor.host-cpu": False,
    "distributed.admin.system-monitor.gil.enabled": False,
    "distributed.admin.low-level-log-length": 0,
    "logging": {"distributed": "critical", "distributed.nanny": "critical"},
}


@dataclass(frozen=True, kw_only=True)
class Tls:
    """The files of dask's TLS."""

    ca: Path
    cert: Path
    key: Path


@contextmanager
def local_cluster(workers: int) -> Iterator[Client]:
    """So many processes on this machine, which nobody else reaches: on the loopback, on ports that
    the system chooses, without a page for browsers."""
    import dask
    from distributed import Client, LocalCluster

    _quiet()
    with (
        scratch_folder() as folder,
        safe_children(),
        dask.config.set({**_SETTINGS, "temporary-directory": folder}),
        LocalCluster(
            n_workers=workers,
            threads_per_worker=1,
            processes=True,
            host=LOOPBACK,
            scheduler_port=0,
            dashboard_address=None,
            scheduler_kwargs={"dashboard": False, "dashboard_address": f"{LOOPBACK}:0"},
            memory_limit=0,
            local_directory=folder,
            silence_logs=logging.CRITICAL,
        ) as cluster,
        Client(cluster) as client,
    ):
        yield client


@contextmanager
def remote_cluster(address: str, tls: Tls | None) -> Iterator[Client]:
    """The cluster of a scheduler that runs. InputError: it is beyond the loopback without TLS, does
    not answer, or has a worker of another version."""
    check_address(address, tls)
    from distributed import Client
    from distributed.security import Security

    _quiet()
    security = None
    if tls is not None:
        security = Security(
            tls_ca_file=str(tls.ca),
            tls_client_cert=str(tls.cert),
            tls_client_key=str(tls.key),
            require_encryption=True,
        )
    shown = printable(address)
    try:
        if security is not None:
            security.get_connection_args("client")
    except (OSError, ValueError) as error:  # an SSLError is an OSError
        raise InputError(
            "--tls-ca, --tls-cert and --tls-key: cannot be used: "
            f"{printable(str(error), limit=200)}",
            remedy="give PEM files: the authority, this client's certificate and the key of that",
        ) from None
    try:
        client = Client(address, security=security, timeout=_WAIT, set_as_default=False)
    except (OSError, TimeoutError, ValueError, RuntimeError) as error:
        raise InputError(
            f"{shown}: no scheduler answers: {printable(str(error), limit=200)}",
            remedy="start one with `dask scheduler`, or leave --scheduler out for this machine's "
            "processors",
        ) from None
    with client:
        with scheduler_there():
            check_workers(client, shown)
        yield client


@contextmanager
def scheduler_there() -> Iterator[None]:
    """Around calls of the cluster. HeapscopeError: the scheduler ended before it answered."""
    from concurrent.futures import CancelledError

    from distributed.client import ClosedClientError

    try:
        yield
    except (OSError, CancelledError, ClosedClientError):  # dask's CommClosedError is an OSError
        raise scheduler_lost() from None


def scheduler_lost() -> HeapscopeError:
    return HeapscopeError(
        "the scheduler is lost",
        remedy="start it and run the same command again: it goes on where it was",
    )


def check_address(address: str, tls: Tls | None) -> None:
    """InputError: the words are no address, or a stranger could read and write on the way there."""
    shown = printable(address)
    try:
        parts = urlsplit(address)
        host, port = parts.hostname, parts.port
    except ValueError:
        host, port = None, None
    if not host or not port or parts.scheme not in ("tcp", "tls"):
        raise InputError(
            f"--scheduler {shown}: not an address",
            remedy="write tcp://HOST:PORT or tls://HOST:PORT",
        )
    if parts.scheme == "tls" and tls is None:
        raise InputError(
            f"--scheduler {shown}: TLS needs its files",
            remedy="give --tls-ca, --tls-cert and --tls-key",
        )
    if parts.scheme == "tcp" and tls is not None:
        raise InputError(
            f"--scheduler {shown}: files of TLS, and an address without it",
            remedy=f"write tls://{host}:{port}, or leave the files out",
        )
    if parts.scheme == "tcp" and not is_loopback(host):
        raise InputError(
            f"--scheduler {shown}: without TLS whoever reaches the network runs code there",
            remedy=f"set up dask's TLS and give tls://{host}:{port} with --tls-ca, --tls-cert and "
            "--tls-key",
        )


def is_loopback(host: str) -> bool:
    """A name other than localhost may mean any machine."""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def check_workers(client: Client, shown: str) -> None:
    """InputError: there is no worker, one is reached without TLS, or one has another version."""
    try:
        client.wait_for_workers(1, timeout=_WAIT)
    except TimeoutError:
        raise InputError(
            f"{shown}: no worker is connected",
            remedy=f"start one there: dask worker {shown}, with Heapscope {__version__} and its "
            "extra sweep",
        ) from None
    reported: Mapping[str, Any] = client.run(version_here, on_error="return")
    for address, stated in reported.items():
        parts = urlsplit(address)
        if parts.scheme == "tcp" and not is_loopback(parts.hostname or ""):
            raise InputError(
                f"worker {printable(address)}: is reached without TLS", remedy="start it with TLS"
            )
        version = stated.get("heapscope") if isinstance(stated, dict) else None
        if version != __version__:
            raise another_version(address, version)


def another_version(worker: str, version: str | None) -> InputError:
    has = f"Heapscope {printable(version)}" if version else "no Heapscope that could be used"
    return InputError(
        f"worker {printable(worker)}: has {has}, and this is {__version__}",
        remedy=f"install Heapscope {__version__} there, with its extra sweep",
    )


def _quiet() -> None:
    """Errors are worded here; dask's own log speaks to its developers. Importing it gave some
    of its loggers levels of their own."""
    loud = ("distributed", "asyncio", "tornado")
    known = list(logging.getLogger().manager.loggerDict)
    for name in (*loud, *known):
        if name.partition(".")[0] in loud:
            logging.getLogger(name).setLevel(logging.CRITICAL)
