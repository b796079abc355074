"""The traces that the allocators are measured on, and what each of them counts for."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from places import ROOT
from synthetic.make import LAWS, make
from tools.places import BUILD

__all__ = ["LAWS", "REAL", "SYNTHETIC", "Trace", "fresh", "given", "in_repository"]

FOLDERS = (ROOT / "studies" / "workloads" / "captured", ROOT / "tests" / "oracle" / "traces")

REAL = "real"  # recorded from a program
SYNTHETIC = "synthetic"  # by law and seed
GENERATED = "generated"  # a model of a program
ADVERSARIAL = "adversarial"  # aimed at an allocator's rules or lists

#: Composed of two other ones; and clients that make the same calls as another one but for the size
#: of one block or two, so that one program does not outweigh all others.
LEFT_OUT = ("demo", "_16k_2k", "_var", "_dyn")
#: One program each under all options, for the studies; some have pools and no heap event.
OF_STUDIES = ("ice_", "script_study_", "tls_study_", "tls_net_", "wifi_", "tenants_at_")

#: By the beginnings of their names: what set a trace is of, and which program's.
KINDS = (
    ("tls35", REAL, "mbedTLS 3.5"),
    ("tls", REAL, "mbedTLS 2.28"),
    ("duk_", REAL, "Duktape"),
    ("script_", REAL, "Duktape"),
    ("lua", REAL, "Lua"),
    ("gateway", REAL, "Duktape and mbedTLS"),
    ("mix_", REAL, "Duktape and mbedTLS"),
    ("tenants_", GENERATED, "Wi-Fi and TCP/IP"),
    ("syn_", SYNTHETIC, "laws"),
    ("", ADVERSARIAL, "aimed"),
)


@dataclass(frozen=True)
class Trace:
    name: str
    path: Path
    kind: str
    program: str


def in_repository() -> list[Trace]:
    """The traces that come with Heapscope, by name."""
    files = [path for folder in FOLDERS for path in folder.glob("*.hst*")]
    traces = {path.name.partition(".")[0]: path for path in files}
    names = [n for n in traces if not n.endswith(LEFT_OUT) and not n.startswith(OF_STUDIES)]
    return [_trace(name, traces[name]) for name in sorted(names)]


def _trace(name: str, path: Path) -> Trace:
    kind, program = next(rest for start, *rest in KINDS if name.startswith(start))
    return Trace(name, path, kind, program)


def given(paths: Sequence[Path]) -> list[Trace]:
    """Traces of the user's own: each a real program of its own."""
    names = [path.name.partition(".")[0] for path in paths]
    return [Trace(name, path, REAL, name) for name, path in zip(names, paths, strict=True)]


def fresh(seeds: Iterable[int]) -> list[Trace]:
    """One trace of each law and seed."""
    traces = []
    for law in LAWS:
        for seed in seeds:
            path = BUILD / "fresh" / f"{law}-{seed}.hst"
            if not path.exists():
                path.parent.mkdir(parents=True, exist_ok=True)
                make(law, path, seed=seed)
            traces.append(Trace(f"{law} seed {seed}", path, SYNTHETIC, law))
    return traces
