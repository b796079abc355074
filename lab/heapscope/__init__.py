"""Heapscope: where the RAM of a microcontroller goes, and what each change would buy back.

    import heapscope as hs

    hs.replay("T.hst", chip="esp32", idf="5.5", need=[16717])

Each verb of the command line is a function here; docs/guide/python.md shows them."""

from __future__ import annotations

import sys
from types import ModuleType

TYPE_CHECKING = False  # as type checkers know it; importing typing takes its time
if TYPE_CHECKING:
    from heapscope.errors import HeapscopeError, InputError
    from heapscope.trace.fold_sites import fold
    from heapscope.verbs.check import check
    from heapscope.verbs.compare import compare
    from heapscope.verbs.diff import diff
    from heapscope.verbs.explorer import explorer
    from heapscope.verbs.export import export
    from heapscope.verbs.fit import fit
    from heapscope.verbs.import_trace import import_
    from heapscope.verbs.info import info
    from heapscope.verbs.ladder import ladder
    from heapscope.verbs.leaks import leaks
    from heapscope.verbs.lint import fixed, lint
    from heapscope.verbs.live import live
    from heapscope.verbs.log import log
    from heapscope.verbs.place import place
    from heapscope.verbs.pools import pools
    from heapscope.verbs.predict import predict
    from heapscope.verbs.record import record
    from heapscope.verbs.replay import replay
    from heapscope.verbs.report import report
    from heapscope.verbs.sweep import sweep, sweep_show
    from heapscope.verbs.translate import translate
    from heapscope.verbs.tune import tune, tune_ranks
    from heapscope.verbs.upgrade import upgrade
    from heapscope.verbs.why import why
    from heapscope.verbs.widget import widget
    from heapscope.version import __version__

__all__ = [
    "VERBS",
    "HeapscopeError",
    "InputError",
    "__version__",
    "check",
    "compare",
    "diff",
    "explorer",
    "export",
    "fit",
    "fixed",
    "fold",
    "import_",
    "info",
    "ladder",
    "leaks",
    "lint",
    "live",
    "log",
    "place",
    "pools",
    "predict",
    "record",
    "replay",
    "report",
    "sweep",
    "sweep_show",
    "translate",
    "tune",
    "tune_ranks",
    "upgrade",
    "why",
    "widget",
]

#: The verbs of the command line, in the order of its help.
VERBS = (
    "record",
    "translate",
    "live",
    "import_",
    "log",
    "info",
    "replay",
    "fit",
    "why",
    "leaks",
    "compare",
    "check",
    "upgrade",
    "report",
    "explorer",
    "lint",
    "tune",
    "place",
    "pools",
    "export",
    "predict",
    "diff",
    "ladder",
    "sweep",
)

#: Where each name of the interface is; it is imported when it is asked for.
_HOMES = {verb: f"verbs.{verb}" for verb in VERBS} | {
    "__version__": "version",
    "HeapscopeError": "errors",
    "InputError": "errors",
    "fixed": "verbs.lint",
    "fold": "trace.fold_sites",
    "import_": "verbs.import_trace",
    "sweep_show": "verbs.sweep",
    "tune_ranks": "verbs.tune",
    "widget": "verbs.widget",
}


def __getattr__(name: str) -> object:
    """Functions and the version are looked up when they are asked for: `import heapscope` stays
    quick, and the command answers Ctrl-C before that."""
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    found: object = getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
    globals()[name] = found
    return found


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})


class _Interface(ModuleType):
    """Python puts a folder such as `heapscope.replay` here when something in it is imported. The
    function of that name keeps its place; `from heapscope.replay.run import ...` works as ever."""

    def __setattr__(self, name: str, value: object) -> None:
        if not (name in _HOMES and isinstance(value, ModuleType)):
            super().__setattr__(name, value)


sys.modules[__name__].__class__ = _Interface
