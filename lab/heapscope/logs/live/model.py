"""The memory on which a device's recording is replayed while it comes in: what is free after every
event, exact where the layout is the device's."""

from __future__ import annotations

from heapscope.memory.layout.layout import Layout
from heapscope.simulation.replay.config import native_config
from heapscope.simulation.replay.unfit import check_kinds


class LiveModel:
    """InputError: the layout cannot be used."""

    def __init__(self, layout: Layout) -> None:
        layout.check()
        check_kinds(layout)
        #: The names of its regions.
        self.names = [region.kind for region in layout.regions]
        self.config = native_config(layout, needs=(), capsets=None, buckets=0)
