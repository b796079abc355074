"""FreeRTOS's port on processors that are asked themselves whether a handler runs: the kernel's
ports of the Cortex-M0 have no xPortIsInsideInterrupt() before V11, and nothing may want it."""

from __future__ import annotations

from pathlib import Path

import pytest
from elftools.elf.elffile import ELFFile
from elftools.elf.sections import SymbolTableSection
from emulation.build import SMALL
from emulation.program import objects
from emulation.targets import TARGETS

ROOT = Path(__file__).parents[2]
PORT = ROOT / "device" / "port" / "freertos"
KERNEL = ROOT / "emulation" / "freertos" / "kernel"
FLAGS = (f"-I{PORT}", f"-I{KERNEL}", "-DTESTS_ASK_THE_PROCESSOR", "-Werror=implicit")


@pytest.mark.parametrize("masks", [0, 1])
@pytest.mark.parametrize("name", ["cortex-m0plus", "cortex-m4", "cortex-m33"])
def test_a_cortex_m_is_queried_itself(name: str, masks: int) -> None:
    flags = (*FLAGS, f"-DHS_FREERTOS_MASKS={masks}")
    (built,) = objects(TARGETS[name], [PORT / "port.c"], SMALL, flags)
    with built.open("rb") as file:
        table = ELFFile(file).get_section_by_name(".symtab")
        assert isinstance(table, SymbolTableSection)
        wanted = {one.name for one in table.iter_symbols() if one["st_shndx"] == "SHN_UNDEF"}
    assert "vTaskSuspendAll" in wanted or masks, "the port does not use the kernel at all"
    assert "xPortIsInsideInterrupt" not in wanted
