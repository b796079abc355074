"""The memory of a chip with other code in IRAM, so that the change can be replayed."""

from __future__ import annotations

from dataclasses import replace

from heapscope.base.errors import InputError
from heapscope.forecast.predict.knob_offers import KnobOffer
from heapscope.memory.layout.layout import Layout

#: Keys of offers that move code out of IRAM.
CODE = ("wifi_iram", "wifi_rx_iram", "lwip_iram")
_OTHER = ("RTCRAM", "SPIRAM")


def without_code(layout: Layout, offer: KnobOffer) -> Layout:
    """The heap begins earlier by the least that is documented: on an ESP32 that of IRAM, elsewhere
    that of the memory which code and data share. InputError: no such region, or no room for it."""
    least = offer.gain if offer.gain_low is None else offer.gain_low
    if offer.key not in CODE:
        raise InputError(f"{offer.key}: no code", remedy="give another option")
    return with_code(layout, -least)


def with_code(layout: Layout, more: int) -> Layout:
    """With so many bytes of code in IRAM more than the layout has; negative: less. InputError."""
    own = [
        index
        for index, region in enumerate(layout.regions)
        if region.private is None
        and (region.kind == "IRAM" if layout.chip == "esp32" else region.kind not in _OTHER)
    ]
    if not layout.chip or not own:
        raise InputError(f"{layout.name}: no region behind code", remedy="give --chip")
    at = min(own, key=lambda index: layout.regions[index].start)
    old = layout.regions[at]
    if more >= old.size:
        raise InputError(
            f"{more:,} bytes of code more than in a default build leave nothing of {old.name}",
            remedy="keep less code in IRAM, or give the firmware's boot log to `heapscope replay`",
        )
    region = replace(old, start=old.start + more, size=old.size - more)
    changed = replace(layout, regions=(*layout.regions[:at], region, *layout.regions[at + 1 :]))
    changed.check()
    return changed
