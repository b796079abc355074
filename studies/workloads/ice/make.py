"""Records a call's pools: python studies/workloads/ice/make.py [NAME...] [--out FOLDER]

The caller is PJNATH in a 32-bit program, whose pools are recorded; the callee runs beside it, and
PJPROJECT's own TURN server in a process of its own, all over loopback. Three configurations, those
of the published study, and other calls with the library's defaults by which advice is tried.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass, field
from functools import cache, partial
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from ice.sources import pjproject
from tools.commands import exit_with, make_traces
from tools.compiler import OWN, RECORDER, compile_all, link, recorder
from tools.places import BUILD, ROOT, WORKLOADS, run
from tools.traces import compress

__all__ = ["CALLS", "Call", "make"]

HERE = WORKLOADS / "ice"

PLAIN = ("pool", "pool_buf", "pool_caching", "sock_bsd", "sock_common")
PJLIB = (
    *("activesock", "addr_resolv_sock", "array", "config", "ctype", "errno", "except", "fifobuf"),
    *("guid", "guid_simple", "hash", "ioqueue_select", "list", "lock", "log"),
    *("log_writer_stdout", "os_core_unix", "os_error_unix", "os_info", "os_time_common"),
    *("os_timestamp_common", "pool_policy_malloc", "rand", "rbtree", "sock_qos_common"),
    *("sock_qos_bsd", "sock_select", "string", "timer", "types"),
)
PJLIB_UTIL = (
    *("base64", "crc32", "dns", "dns_dump", "errno", "hmac_md5", "hmac_sha1", "md5", "resolver"),
    *("sha1", "srv_resolver", "string", "stun_simple"),
)
SERVER = ("allocation", "auth", "listener_udp", "server")

#: The facts that PJPROJECT's configure script would have found here.
MACHINE = tuple(
    f"-D{name}"
    for name in (
        *("PJ_LINUX=1", "PJ_M_I386=1", "PJ_IS_LITTLE_ENDIAN=1", "PJ_IS_BIG_ENDIAN=0"),
        *("PJ_HAS_LIMITS_H=1", "PJ_HAS_NETINET_TCP_H=1", "PJ_SOCK_HAS_INET_NTOP=1"),
        *("PJ_SOCK_HAS_INET_PTON=1", "PJ_SOCK_HAS_GETADDRINFO=1"),
        *("PJ_HAS_PTHREAD_MUTEXATTR_SETTYPE=1", "PJ_PTHREAD_MUTEXATTR_T_HAS_RECURSIVE=1"),
        *("PJ_FUNCTIONS_ARE_INLINED=0", "_GNU_SOURCE"),
    )
)
#: get_invalid_addresses() asks the kernel for the host's IPv6 addresses and can wait for ever; its
#: socket cannot be opened, upon which it returns.
NO_NETLINK = ("-Dsocket=hs_no_socket", "-Dperror=hs_no_complaint")
#: turn.c says why.
IN_STEP = ("-Dpj_thread_create=hs_no_thread", "-Dpj_stun_msg_create_response=hs_answer")

#: By their number in site/pj/config_site.h.
CONFIGS = ("defaults", "tuned", "defaults, all pools 128")


@dataclass(frozen=True)
class Call:
    name: str
    config: int  # of site/pj/config_site.h
    words: dict[str, int] = field(default_factory=dict, hash=False)

    @property
    def summary(self) -> str:
        return " ".join((CONFIGS[self.config], *self.options))

    @property
    def options(self) -> tuple[str, ...]:
        return tuple(f"{word}={number}" for word, number in self.words.items())


CALLS = {
    call.name: call
    for call in (
        Call("ice_default", 0),
        Call("ice_tuned", 1),
        Call("ice_no_rtcp", 1, {"components": 1}),
        # Other calls with the defaults: advice comes from some of them and is tried on the others.
        Call("ice_hosts", 0, {"hosts": 3, "callee": 2, "seed": 2}),
        Call("ice_lossy", 0, {"callee_stun": 1, "delay": 60, "jitter": 80, "lost": 100, "seed": 3}),
        Call(
            "ice_relays", 0, {"hosts": 2, "callee_stun": 1, "callee_turn": 1, "lost": 30, "seed": 4}
        ),
        Call("ice_plain", 0, {"components": 1, "turn": 0, "callee": 3, "seed": 5}),
        Call("ice_many", 0, {"hosts": 4, "callee": 2, "delay": 40, "seed": 6}),
        Call("ice_rough", 0, {"hosts": 2, "delay": 30, "jitter": 100, "lost": 200, "seed": 7}),
        Call("ice_local", 0, {"components": 1, "hosts": 4, "stun": 0, "turn": 0, "seed": 8}),
        Call("ice_one", 0, {"components": 1, "hosts": 2, "callee": 2, "lost": 50, "seed": 9}),
        Call("ice_lazy", 2),
    )
}


def options(config: int) -> tuple[str, ...]:
    tree = pjproject()
    include = [HERE / "site", HERE, RECORDER, ROOT / "device" / "include"]
    include += [tree / name / "include" for name in ("pjlib", "pjlib-util", "pjnath")]
    include += [tree / "pjnath" / "src" / "pjturn-srv"]
    return (*(f"-I{folder}" for folder in include), *MACHINE, f"-DHS_ICE_CONFIG={config}")


@cache
def library(config: int) -> list[Path]:
    tree, flags = pjproject(), ("-w", *options(config))
    base = tree / "pjlib" / "src" / "pj"
    recorded = (*flags, "-include", str(HERE / "recorded.h"))
    objects = compile_all([base / f"{name}.c" for name in PLAIN], options=flags)
    sources = [base / f"{name}.c" for name in PJLIB]
    sources += [tree / "pjlib-util" / "src" / "pjlib-util" / f"{name}.c" for name in PJLIB_UTIL]
    nath = tree / "pjnath" / "src" / "pjnath"
    sources += [path for path in sorted(nath.glob("*.c")) if path.stem != "ice_session"]
    objects += compile_all(sources, options=recorded)
    return objects + compile_all([nath / "ice_session.c"], options=(*recorded, *NO_NETLINK))


def own(names: tuple[str, ...], config: int) -> list[Path]:
    sources = [HERE / f"{name}.c" for name in names]
    return compile_all(sources, options=(*options(config), *OWN, "-Wno-deprecated-non-prototype"))


@cache
def server() -> Path:
    folder = pjproject() / "pjnath" / "src" / "pjturn-srv"
    flags = ("-w", *options(0), "-include", str(HERE / "recorded.h"), *IN_STEP)
    objects = compile_all([folder / f"{name}.c" for name in SERVER], options=flags)
    names = ("turn", "clock", "link", "pools", "netlink")
    return link("turn-server", [*own(names, 0), *objects, *library(0), *recorder()])


@cache
def caller(config: int) -> Path:
    names = ("ice", "agent", "clock", "link", "netlink", "pools", "server")
    return link(f"ice-{config}", [*own(names, config), *library(config), *recorder()])


def make(name: str, out: Path) -> str:
    """Records a call into `out`; returns what the pools held at its marks."""
    call = CALLS[name]
    trace = BUILD / f"{name}.hst"
    stated = run(caller(call.config), trace, server(), call.summary, *call.options)
    compress(trace, out)
    return stated


def main() -> int:
    return make_traces(__doc__ or "", {name: partial(make, name) for name in CALLS})


if __name__ == "__main__":
    exit_with(main)
