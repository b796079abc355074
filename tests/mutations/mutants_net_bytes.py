"""Broken in the verdict in net bytes: what counts, and with which sign."""

from __future__ import annotations

from mutant import Mutant

NET = "tests/lab/fit/test_net_bytes.py"
VERDICT = "lab/heapscope/answers/fit/verdict.py"

NET_BYTES = (
    Mutant(
        "net bytes",
        "what our heap takes more is gained",
        f"{VERDICT}::_Bytes",
        "self.before - self.after",
        "self.after - self.before",
        NET,
    ),
    Mutant(
        "net bytes",
        "code that our heap has more is gained",
        f"{VERDICT}::_code",
        "old.of(part) - new.of(part)",
        "new.of(part) - old.of(part)",
        NET,
    ),
    Mutant(
        "net bytes of a ROM",
        "the allocator in ROM costs as much as one in RAM",
        f"{VERDICT}::_present",
        "in_rom=firmware.in_rom,",
        "in_rom=False,",
        NET,
    ),
    Mutant(
        "net bytes of a ROM",
        "an image's own allocator is taken for the ROM's",
        "lab/heapscope/answers/fit/firmware_heap.py::read_firmware_heap",
        'config.value("HEAP_TLSF_USE_ROM_IMPL") is True',
        "data.rom is not None",
        NET,
    ),
    Mutant(
        "net bytes of IRAM",
        "IRAM of the ESP32 counts",
        f"{VERDICT}::_code",
        'counts=part != "code" or not firmware.iram_is_apart',
        "counts=True",
        NET,
    ),
    Mutant(
        "net bytes of a build",
        "code in flash counts as code in IRAM",
        f"{VERDICT}::_present",
        "if firmware.in_flash:",
        "if firmware.in_flash and firmware.in_rom:",
        NET,
    ),
    Mutant(
        "the verdict in net bytes",
        "a range with both signs pays",
        f"{VERDICT}::_verdict",
        "if net.least > 0:",
        "if net.most > 0:",
        NET,
    ),
    Mutant(
        "the verdict in net bytes",
        "a figure that is missing counts as 0",
        f"{VERDICT}::_code",
        "None if old is None or new is None else",
        "NONE if old is None or new is None else",
        NET,
    ),
)
