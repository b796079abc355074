"""The Python interface: one function for each verb of the command line, with typed results.

A function opens what its arguments name, hands it from stage to stage and returns a VerbResult. It
prints nothing. `import heapscope as hs` offers all of them: `hs.replay("T.hst", chip="esp32")`."""

from heapscope.cli.verbs.shown import show

__all__ = ["show"]
