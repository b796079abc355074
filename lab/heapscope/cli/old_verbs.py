"""Verbs that other verbs took over."""

from __future__ import annotations

#: The name of each, and the beginning of the command that answers its question now.
OLD_VERBS = {
    "diff": "heapscope compare A B",
    "explorer": "heapscope report -o FILE",
    "info": "heapscope replay T.hst",
    "ladder": "heapscope compare A B...",
    "pools": "heapscope fit T.hst... --pools",
    "upgrade": "heapscope compare T.hst --idf OLD --idf NEW --parts",
}
