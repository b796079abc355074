"""Types out of a real ELF's debug information, and the blocks that they name."""

from __future__ import annotations

import struct
import subprocess
import sys
from pathlib import Path

import pytest

from heapscope.answers.image.typed import Content, Typed, typed_blocks
from heapscope.memory.image.dwarf_types import read_types
from heapscope.memory.image.memory_image import MemoryImage, MemorySegment
from heapscope.memory.image.types import Types

SOURCE = """
#include <stdint.h>
struct node { struct node *next; union { int number; char *text; } u; uint16_t flag : 3;
    char name[6]; };
struct link { struct link *next; };
typedef struct { int tag; struct link link; char body[]; } packet_t;
typedef struct { struct node *head; void *opaque[2]; struct { uint32_t *samples; } in[3]; } app_t;
struct hidden;
app_t app;
struct link packets;
struct hidden *handle;
packet_t *unused;
struct hidden { int first; struct node *kept; };
int main(void)
{
    static const struct node *const volatile cached;
    int sum = (int)(intptr_t)cached + (int)(intptr_t)packets.next;
    return sum + app.in[1].samples[0] + handle->first + unused->tag;
}
"""
HEAP = 0x4000_0000


@pytest.fixture(scope="module")
def types(tmp_path_factory: pytest.TempPathFactory) -> Types:
    folder = tmp_path_factory.mktemp("types")
    (folder / "a.c").write_text(SOURCE)
    command = [sys.executable, "-m", "ziglang", "cc", "-target", "riscv32-freestanding-none"]
    options = ["-g", "-O1", "-nostdlib", "-Wl,-e,main", "a.c", "-o", "a.elf"]
    subprocess.run([*command, *options], cwd=folder, check=True, capture_output=True)
    return read_types(folder / "a.elf")


class Memory:
    """The variables of the ELF, and blocks of which each is known by its address."""

    def __init__(self, types: Types) -> None:
        self.types = types
        self.at = {variable.name: variable.address for variable in types.variables}
        self.low = min(self.at.values()) & ~0xFF
        self.data = bytearray(max(self.at.values()) - self.low + 256)
        self.heap = bytearray(0x1000)
        self.contents: list[Content] = []

    def block(self, size: int) -> int:
        start = self.contents[-1].start + self.contents[-1].size + 8 if self.contents else HEAP
        self.contents.append(Content(start - 8, start, size))
        return start

    def put(self, at: int, value: int) -> None:
        inside, start = (self.heap, HEAP) if at >= HEAP else (self.data, self.low)
        struct.pack_into("<I", inside, at - start, value)

    def content_of(self, address: int) -> Content | None:
        found = (one for one in self.contents if one.start <= address <= one.start + one.size)
        return next(found, None)

    def typed(self) -> dict[int, Typed]:
        segments = (
            MemorySegment(self.low, bytes(self.data)),
            MemorySegment(HEAP, bytes(self.heap)),
        )
        image = MemoryImage(segments=segments, files=("own",), what="own")
        return typed_blocks(image, self.types, self.types.variables, self.content_of)


def test_variables_of_all_scopes_are_read(types: Types) -> None:
    names = {variable.name: types.name(variable.type) for variable in types.variables}
    assert names["app"] == "app_t"
    assert names["handle"] == "struct hidden *"
    assert names["packets"] == "struct link"
    assert "cached" in names  # inside a function
    assert {types.size(variable.type) for variable in types.variables} <= {4, 24}


def test_a_block_has_the_name_of_its_type(types: Types) -> None:
    memory = Memory(types)
    node, second = memory.block(16), memory.block(16)
    samples, opaque, hidden = memory.block(40), memory.block(12), memory.block(10)
    kept, text = memory.block(48), memory.block(9)
    memory.put(memory.at["app"], node)
    memory.put(node, second)
    memory.put(node + 4, text)
    memory.put(memory.at["app"] + 4, opaque)
    memory.put(memory.at["app"] + 16, samples)
    memory.put(memory.at["handle"], hidden)
    memory.put(hidden + 4, kept)
    found = {address + 8: (one.name, one.path) for address, one in memory.typed().items()}
    assert found == {
        node: ("struct node", "app.head"),
        second: ("struct node", "app.head->next"),
        text: ("char[9]", "app.head->u.text"),  # by a member of a union, and only that
        opaque: ("app.opaque[0]", "app.opaque[0]"),
        samples: ("uint32_t[10]", "app.in[1].samples"),
        hidden: ("struct hidden", "handle"),
        kept: ("struct node[3]", "handle->kept"),
    }


def test_a_pointer_to_a_member_names_what_holds_it(types: Types) -> None:
    memory = Memory(types)
    first, second = memory.block(20), memory.block(60)
    memory.put(memory.at["packets"], first + 4)
    memory.put(first + 4, second + 4)
    memory.put(second + 4, memory.at["packets"])
    assert [one.name for one in memory.typed().values()] == ["packet_t", "packet_t"]


def test_an_elf_without_debug_information_tells_no_types(tmp_path: Path) -> None:
    program = tmp_path / "a.c"
    program.write_text("int value = 3; int main(void) { return value; }")
    command = [sys.executable, "-m", "ziglang", "cc", "-target", "riscv32-freestanding-none"]
    options = ["-s", "-nostdlib", "-Wl,-e,main", "a.c", "-o", "a.elf"]
    subprocess.run([*command, *options], cwd=tmp_path, check=True, capture_output=True)
    assert read_types(tmp_path / "a.elf") == Types({}, ())
