"""The boards that the firmware runs on, as QEMU has them."""

from __future__ import annotations

from dataclasses import dataclass

from emulation.targets import TARGETS, Target

__all__ = ["BOARDS", "Board"]


@dataclass(frozen=True)
class Board:
    """`given`: where the firmware looks for its three words. `machine`: options of QEMU, in
    which the character device `stream` is behind the second serial port."""

    name: str
    target: Target
    files: tuple[str, ...]
    network: tuple[str, ...]  # its driver
    qemu: str
    package: str  # of Debian, that has it
    given: int
    machine: tuple[str, ...]


BOARDS = {
    board.name: board
    for board in (
        Board(
            name="virt",
            target=TARGETS["rv32imc"],
            files=("board_virt.c", "cpu_riscv.c"),
            network=("virtio_net.c",),
            qemu="qemu-system-riscv32",
            package="qemu-system-misc",
            given=0x8070_0000,
            machine=(
                *("-machine", "virt", "-m", "64", "-bios", "none"),
                *("-global", "virtio-mmio.force-legacy=false"),
                *("-netdev", "user,id=net", "-device", "virtio-net-device,netdev=net"),
                *("-serial", "stdio"),
                *("-device", "pci-serial,chardev=stream"),
            ),
        ),
        Board(
            name="mps2",
            target=TARGETS["cortex-m4"],
            files=("board_mps2.c", "cpu_cortex_m.c"),
            network=("lan9118.c",),
            qemu="qemu-system-arm",
            package="qemu-system-arm",
            given=0x2038_0000,
            machine=(
                *("-machine", "mps2-an386", "-nic", "user,id=net"),
                *("-semihosting-config", "enable=on,target=native"),
                *("-serial", "stdio", "-serial", "chardev:stream"),
            ),
        ),
    )
}
