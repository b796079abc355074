"""The programs: what each is built from. Sources are fetched when they are asked for."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from script.make import repeatable
from sources import LUA, LVGL, QUICKJS
from tls.make import FULL, tls_options
from tools.places import WORKLOADS
from tools.sources import MBEDTLS_3, c_tree, duktape, mbedtls
from wifi.sources import lwip

__all__ = ["PROGRAMS", "Parts", "Program"]

HERE = Path(__file__).parent


@dataclass(frozen=True)
class Parts:
    """`sources` and `options` of the library, which are not this repository's; `own`: files that
    are, beside the work itself."""

    sources: tuple[Path, ...] = ()
    options: tuple[str, ...] = ()
    own: tuple[Path, ...] = ()


@dataclass(frozen=True)
class Program:
    """`arena`: bytes of the heap, tight and enough on each; `script`: what it runs."""

    name: str
    title: str
    arena: int
    parts: Callable[[], Parts]
    script: Path | None = None
    survives: bool = (
        True  #: a request that fails is an error of the round, and no end of the program
    )

    @property
    def work(self) -> Path:
        return HERE / f"work_{self.name}.c"


def _random() -> Parts:
    return Parts()


def _lua() -> Parts:
    tree = c_tree(LUA)
    sources = sorted(file for file in tree.glob("*.c") if file.name not in ("lua.c", "luac.c"))
    return Parts(tuple(sources), (f"-I{tree}", "-DLUA_USE_POSIX", "-Dluai_makeseed(L)=0x48534850u"))


def _duktape() -> Parts:
    return Parts((repeatable(),), (f"-I{duktape()}", "-Dgettimeofday=hs_script_clock"))


def _quickjs() -> Parts:
    tree = c_tree(QUICKJS)
    names = ("quickjs", "libregexp", "libunicode", "cutils")
    sources = tuple(tree / f"{name}.c" for name in names)
    version = (tree / "VERSION").read_text("utf-8").strip()
    return Parts(sources, (f"-I{tree}", "-D_GNU_SOURCE", f'-DCONFIG_VERSION="{version}"'))


def _mbedtls() -> Parts:
    sources = (mbedtls(MBEDTLS_3) / "library").glob("*.c")
    chosen = [file for file in sorted(sources) if not file.name.startswith("psa_")]
    chosen.append(mbedtls(MBEDTLS_3) / "tests" / "src" / "certs.c")
    own = tuple(WORKLOADS / "tls" / f"{name}.c" for name in ("peer", "random"))
    return Parts(tuple(chosen), tls_options(MBEDTLS_3, FULL), own)


def _lwip() -> Parts:
    tree = lwip()
    sources = [*(tree / "core").glob("*.c"), *(tree / "core").glob("ipv4/*.c")]
    folders = (HERE / "lwip_site", WORKLOADS / "wifi" / "site", HERE, tree / "include")
    return Parts(tuple(sorted(sources)), tuple(f"-I{folder}" for folder in folders))


def _lvgl() -> Parts:
    tree = c_tree(LVGL)
    folders = (HERE / "lvgl_site", HERE, tree)
    options = ("-DLV_CONF_INCLUDE_SIMPLE", *(f"-I{folder}" for folder in folders))
    return Parts(tuple(sorted((tree / "src").rglob("*.c"))), options)


ROWS = (
    Program("random", "random requests", 160_000, _random),
    Program("lua", "Lua 5.4.7", 230_000, _lua, HERE / "load.lua"),
    Program("duktape", "Duktape 2.99.99", 400_000, _duktape, HERE / "load.js"),
    Program("quickjs", "QuickJS 2021-03-27", 300_000, _quickjs, HERE / "load.js", survives=False),
    Program("mbedtls", "mbedTLS 3.5.1", 120_000, _mbedtls),
    Program("lwip", "lwIP 2.1.3", 100_000, _lwip, survives=False),
    Program("lvgl", "LVGL 8.3.5", 60_000, _lvgl, survives=False),
)
PROGRAMS: Mapping[str, Program] = {program.name: program for program in ROWS}
