"""Wi-Fi and lwIP beside one TLS client: python studies/workloads/tenants/session.py [-o FOLDER]

The client of studies/workloads/tls: five connections, one after the other, with marks as in its
traces, and between `answered` and `computed` the time that the handshake computes. The bytes on the
line were counted there, in the calls that send and read. The options and the laws of network.py
decide how many of them are in memory at once.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from tenants.knobs import Knobs
from tenants.network import TCP_TIMER, Connection, Exchange, Network
from tenants.record import Record
from tools.places import CAPTURED

__all__ = ["SESSIONS", "make_session", "session"]

SEED = 1
CONNECTIONS = 5
#: A handshake's bytes, sent and then received: HELLO is ClientHello and the server's five messages;
#: FINISH is the client's certificate to Finished, and the server's Finished.
HELLO = (300, 5 * 5 + 91 + 837 + 401 + 82 + 4)
FINISH = (850 + 143 + 269 + 6 + 37, 2 * 5 + 1 + 32)
#: The exchanges of the client: a header's record of 29 and the messages' own, 21 around each. The
#: study's client has short ones only, as the first; `all` are those of studies/workloads/tls.
SHORT = ((29 + 85, 85), (29 + 221, 221))
ALL = (
    (29 + 85, 85),
    (29 + 221, 1421),
    (29 + 1421, 221),
    (29 + 1421, 8021),
    (29 + 3 * 2069 + 1877, 85),
    (29 + 85, 16405),
    (29 + 8 * 2069, 16405),
)
#: Between two connections, and a client's own work between two messages, milliseconds.
PAUSE = 1000.0
THINK = 400.0
#: In which a handshake computes, milliseconds: the instructions of a connection of
#: studies/workloads/tls (3 182 145 583 of five, 32-bit x86, counted by valgrind's lackey), one a
#: cycle at 160 MHz.
COMPUTING = 3_182_145_583 / 5 / 160_000


#: ESP-IDF 4.2's defaults, and the published minimal network.
DEFAULT = Knobs(rx_ba_window=6, window=5744, send_buffer=5744)
MINIMAL = Knobs(
    static_rx=4,
    dynamic_rx=8,
    dynamic_tx=16,
    rx_ba_window=0,
    tcpip_mailbox=16,
    tcp_mailbox=8,
    send_buffer=6144,
    window=6144,
)

Messages = tuple[tuple[int, int], ...]
SESSIONS: dict[str, tuple[Knobs, Messages]] = {
    "tls_net_default": (DEFAULT, SHORT),
    "tls_net_minimal": (MINIMAL, SHORT),
    "tls_net_default_all": (DEFAULT, ALL),
    "tls_net_minimal_all": (MINIMAL, ALL),
}


class Session(Connection):
    """One connection of the client."""

    number: int
    messages: Messages

    def begin(self) -> None:
        self.network.record.mark(f"connect {self.number}")
        super().begin()

    def next_exchange(self) -> None:
        mark = self.network.record.mark
        if len(self.plan) == len(self.messages):
            mark(f"connected {self.number}")
        elif len(self.plan) == 1 + len(self.messages):
            mark(f"answered {self.number}")
            self.network.after(COMPUTING, lambda: mark(f"computed {self.number}"))
        super().next_exchange()

    def close(self) -> None:
        super().close()
        self.network.record.mark(f"closed {self.number}")
        if self.number < CONNECTIONS:
            begin(self.network, self.messages, self.number + 1)


def begin(network: Network, messages: Messages, number: int) -> None:
    """The next connection, after a pause."""
    plan = [Exchange(0.0, *HELLO), Exchange(COMPUTING, *FINISH)]
    following = Session(network, plan + [Exchange(THINK, *message) for message in messages])
    following.number, following.messages = number, messages
    network.after(PAUSE, following.begin)


def session(knobs: Knobs, messages: Messages = SHORT, *, seed: int = SEED) -> Record:
    network = Network(knobs, seed)
    network.start()
    network.timer(TCP_TIMER)
    network.after(100.0, network.configure)
    network.after(100.0, network.manage)
    begin(network, messages, 1)
    network.run(CONNECTIONS * (COMPUTING + 2 * PAUSE + len(messages) * 4 * THINK))
    network.record.mark("end")
    return network.record


def make_session(name: str, out: Path) -> str:
    """Writes the trace; returns how many events it has."""
    knobs, messages = SESSIONS[name]
    program = f"workloads/tenants/session.py, seed {SEED}"
    return session(knobs, messages).write(out, program=program, config=knobs.config())


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("-o", "--out", type=Path, default=CAPTURED, metavar="FOLDER")
    chosen = parser.parse_args()
    for name in SESSIONS:
        print(f"{name:24}{make_session(name, chosen.out / f'{name}.hst.zst')}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
