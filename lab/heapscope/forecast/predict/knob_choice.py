"""The configuration whose options `compare --parts` and `why` offer."""

from __future__ import annotations

from pathlib import Path

from heapscope.base.errors import InputError
from heapscope.base.printable import printable
from heapscope.config.config import read_files, settle
from heapscope.config.releases import find_release
from heapscope.forecast.predict.knob_offers import KnobOffer, knob_offers
from heapscope.memory.layout.layout import Layout

_DEFAULT = "a default build that uses Wi-Fi (--sdkconfig F: your own)"


def choose_knobs(layout: Layout, sdkconfig: str | Path | None) -> tuple[tuple[KnobOffer, ...], str]:
    """Options of the SDK that give memory back, as predicted, and what they change; none where the
    layout names no chip and version. InputError: the file cannot be read, is
    of another chip, or a value in it cannot be."""
    if not layout.chip:
        return (), ""
    release = find_release(layout.sdk.split(" ")[0])
    files = () if sdkconfig is None else read_files([sdkconfig])
    stated = next((file.stated("IDF_TARGET") for file in files if file.stated("IDF_TARGET")), "")
    if stated and stated != layout.chip:
        raise InputError(
            f'{files[0].name}: CONFIG_IDF_TARGET="{printable(stated)}", but the memory is that of '
            f"the {layout.chip}",
            remedy="give the sdkconfig of that chip's firmware",
        )
    result = knob_offers(settle(files, chip=layout.chip, sdk=release.name))
    return result, _DEFAULT if sdkconfig is None else printable(str(sdkconfig), limit=400)
