"""Records a script engine: python studies/workloads/script/make.py [NAME...] [--out FOLDER]

Duktape as a 32-bit program runs device.js (timers, objects, a day of five series as JSON one by
one, garbage collections), json.js (the day as one JSON text) and, beside an application's settings
on the same heap, week.js (the jobs that a week is composed of). Two things are changed so that
runs repeat: its clock is the script's own, and the seed of its string hashes, else the address of
its heap, is a constant. The names in the scripts are strings of the engine's heap: with another
name it is another recording.
"""

from __future__ import annotations

import sys
from functools import cache, partial
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from tools.commands import exit_with, make_traces
from tools.compiler import OWN, RECORDER, compile_all, link, recorder
from tools.places import BUILD, ROOT, WORKLOADS, run
from tools.sources import duktape
from tools.traces import compress

__all__ = ["SCRIPTS", "engine", "make", "script_options"]

HERE = WORKLOADS / "script"
SETTINGS = WORKLOADS / "mix"
SCRIPTS = {f"script_{name}": HERE / f"{name}.js" for name in ("device", "json", "week")}

SEED = "res->hash_seed = (duk_uint32_t) (duk_uintptr_t) res;"
FIXED = "res->hash_seed = 0x48534850u;"


def script_options() -> tuple[str, ...]:
    folders = (duktape(), HERE, RECORDER, ROOT / "device" / "include")
    return tuple(f"-I{folder}" for folder in folders)


def repeatable() -> Path:
    """duktape.c with a fixed seed."""
    text = (duktape() / "duktape.c").read_text("utf-8")
    if text.count(SEED) != 1:
        raise RuntimeError("duktape.c no longer takes its seed from where it did")
    built = BUILD / "generated" / "duktape.c"
    changed = text.replace(SEED, FIXED)
    if not built.exists() or built.read_text("utf-8") != changed:
        built.parent.mkdir(parents=True, exist_ok=True)
        built.write_text(changed, "utf-8")
    return built


@cache
def engine() -> list[Path]:
    options = (*script_options(), "-Dgettimeofday=hs_script_clock")
    own = compile_all([HERE / "engine.c"], options=(*script_options(), *OWN))
    return [*own, *compile_all([repeatable()], options=options)]


@cache
def program(name: str) -> Path:
    """That of script.c, the engine alone, or of week.c, with settings beside it."""
    sources = [HERE / f"{name}.c"]
    options = (*script_options(), *OWN)
    if name == "week":
        sources += [SETTINGS / "settings.c", WORKLOADS / "tls" / "random.c"]
        options = (*options, f"-I{SETTINGS}", f"-I{WORKLOADS / 'tls'}")
    return link(name, [*compile_all(sources, options=options), *engine(), *recorder()])


def make(name: str, out: Path) -> str:
    """Records a script into `out`; returns what was live at its marks."""
    trace = BUILD / f"{name}.hst"
    stated = run(program("week" if name == "script_week" else "script"), trace, SCRIPTS[name])
    compress(trace, out)
    return stated


def main() -> int:
    return make_traces(__doc__ or "", {name: partial(make, name) for name in SCRIPTS})


if __name__ == "__main__":
    exit_with(main)
