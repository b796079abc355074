"""Heapscope: where the RAM of a microcontroller goes, and what each change would buy back.

    import heapscope as hs

    hs.replay("T.hst", chip="esp32", idf="5.5", need=[16717])

Each verb of the command line is a function here; docs/guide/python.md shows them."""

from __future__ import annotations

TYPE_CHECKING = False  # as type checkers know it; importing typing takes its time
if TYPE_CHECKING:
    from heapscope.base.errors import HeapscopeError, InputError
    from heapscope.base.version import __version__
    from heapscope.cli.things.thing import thing
    from heapscope.cli.verbs.check import check
    from heapscope.cli.verbs.compare import compare
    from heapscope.cli.verbs.export import export
    from heapscope.cli.verbs.fit import fit
    from heapscope.cli.verbs.image import image
    from heapscope.cli.verbs.import_ import import_
    from heapscope.cli.verbs.leaks import leaks
    from heapscope.cli.verbs.lint import fixed, lint
    from heapscope.cli.verbs.live import live
    from heapscope.cli.verbs.log import log
    from heapscope.cli.verbs.place import place
    from heapscope.cli.verbs.predict import predict
    from heapscope.cli.verbs.ram import ram
    from heapscope.cli.verbs.record import record
    from heapscope.cli.verbs.replay import replay
    from heapscope.cli.verbs.report import report
    from heapscope.cli.verbs.sweep import sweep, sweep_show
    from heapscope.cli.verbs.translate import translate
    from heapscope.cli.verbs.tune import tune, tune_ranks
    from heapscope.cli.verbs.why import why
    from heapscope.cli.verbs.widget import widget
    from heapscope.trace.fold_sites import fold

__all__ = [
    "GROUPS",
    "VERBS",
    "HeapscopeError",
    "InputError",
    "__version__",
    "check",
    "compare",
    "export",
    "fit",
    "fixed",
    "fold",
    "image",
    "import_",
    "leaks",
    "lint",
    "live",
    "log",
    "place",
    "predict",
    "ram",
    "record",
    "replay",
    "report",
    "sweep",
    "sweep_show",
    "thing",
    "translate",
    "tune",
    "tune_ranks",
    "why",
    "widget",
]

#: The verbs of the command line, by what a user has at hand, in the order of its help.
GROUPS = {
    "A program, or another tool's trace": ("record", "import_", "translate"),
    "A log, or a device": ("log", "live", "image"),
    "A build": ("ram",),
    "A trace": ("replay", "why", "leaks", "fit", "place", "export", "report"),
    "A configuration": ("lint", "predict", "tune"),
    "Two or more of a kind": ("compare", "sweep"),
    "Budgets": ("check",),
}
VERBS = tuple(verb for verbs in GROUPS.values() for verb in verbs)

#: Where each name of the interface is; it is imported when it is asked for.
_HOMES = {verb: f"cli.verbs.{verb}" for verb in VERBS} | {
    "__version__": "base.version",
    "HeapscopeError": "base.errors",
    "InputError": "base.errors",
    "fixed": "cli.verbs.lint",
    "fold": "trace.fold_sites",
    "sweep_show": "cli.verbs.sweep",
    "thing": "cli.things.thing",
    "tune_ranks": "cli.verbs.tune",
    "widget": "cli.verbs.widget",
}


def __getattr__(name: str) -> object:
    """Functions and the version are looked up when they are asked for: `import heapscope` stays
    quick, and the command answers Ctrl-C before that."""
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    result: object = getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
    if hasattr(result, "__code__"):
        from heapscope.base.plain_signature import plain_signature

        result.__signature__ = plain_signature(result)  # type: ignore[attr-defined, arg-type]
    globals()[name] = result
    return result


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
