"""Wi-Fi and lwIP beside one TLS client: python studies/workloads/tenants/session.py [-o FOLDER]

Two clients: that of studies/workloads/tls, with five connections one after the other; and that of
a published study, which connects once. Marks are as in their traces, and between `answered` and
`computed` is the time that the handshake computes. The options and the laws of network.py decide
how many of the bytes on the line are in memory at once.
"""

from __future__ import annotations

import argparse
import sys
from dataclasses import dataclass
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from tenants.knobs import Knobs
from tenants.network import TCP_TIMER, Connection, Exchange, Network
from tenants.record import Record
from tools.places import CAPTURED

__all__ = ["SESSIONS", "make_session", "session"]

SEED = 1
#: Between two connections, and a client's own work between two messages, milliseconds.
PAUSE = 1000.0
THINK = 400.0
#: In which a handshake computes, milliseconds: the instructions of a connection of
#: studies/workloads/tls (3 182 145 583 of five, 32-bit x86, counted by valgrind's lackey), one a
#: cycle at 160 MHz.
COMPUTING = 3_182_145_583 / 5 / 160_000

Exchanged = tuple[int, int]  #: bytes sent, then received


@dataclass(frozen=True, kw_only=True)
class Client:
    """`hello`: ClientHello and the server's messages up to its last. `finish`: the client's
    certificate to Finished, and the server's Finished. `messages`: a header's record of 29 and the
    messages' own, 21 around each. `own_objects`: the client's trace has its socket's."""

    connections: int
    hello: Exchanged
    finish: Exchanged
    messages: tuple[Exchanged, ...] = ((29 + 85, 85), (29 + 221, 221))
    own_objects: bool = False


#: The bytes on the line were counted there, in the calls that send and read: a certificate of 830
#: and no chain; a key exchange on P-256.
OURS = Client(
    connections=5,
    hello=(300, 5 * 5 + 91 + 837 + 401 + 82 + 4),
    finish=(850 + 143 + 269 + 6 + 37, 2 * 5 + 1 + 32),
)
#: The chain of the study's server in DER (AWS IoT's, by public logs of 2017 to 2021), a key
#: exchange on secp521r1 signed with RSA 2048, a request without names, the client's certificate of
#: 861 bytes.
CHAIN = (1427, 1101, 1174, 1145)
STUDY = Client(
    connections=1,
    hello=(300, 5 * 5 + 91 + 7 + sum(3 + one for one in CHAIN) + 8 + 133 + 260 + 38 + 4),
    finish=(10 + 861 + 5 + 133 + 8 + 256 + 6 + 3 * 5 + 45, 2 * 5 + 1 + 32),
    own_objects=True,
)

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

SESSIONS: dict[str, tuple[Knobs, Client]] = {
    "tls_net_default": (DEFAULT, OURS),
    "tls_study_net_default": (DEFAULT, STUDY),
    "tls_study_net_minimal": (MINIMAL, STUDY),
}


class Session(Connection):
    """One connection of the client."""

    number: int
    client: Client

    def begin(self) -> None:
        self.network.record.mark(f"connect {self.number}")
        super().begin()

    def objects(self) -> tuple[int, ...]:
        return () if self.client.own_objects else super().objects()

    def next_exchange(self) -> None:
        mark = self.network.record.mark
        messages = len(self.client.messages)
        if len(self.plan) == messages:
            mark(f"connected {self.number}")
        elif len(self.plan) == 1 + messages:
            mark(f"answered {self.number}")
            self.network.after(COMPUTING, lambda: mark(f"computed {self.number}"))
        super().next_exchange()

    def close(self) -> None:
        super().close()
        self.network.record.mark(f"closed {self.number}")
        if self.number < self.client.connections:
            begin(self.network, self.client, self.number + 1)


def begin(network: Network, client: Client, number: int) -> None:
    """The next connection, after a pause."""
    plan = [Exchange(0.0, *client.hello), Exchange(COMPUTING, *client.finish)]
    following = Session(network, plan + [Exchange(THINK, *one) for one in client.messages])
    following.number, following.client = number, client
    network.after(PAUSE, following.begin)


def session(knobs: Knobs, client: Client, *, seed: int = SEED) -> Record:
    network = Network(knobs, seed, old=True)
    network.start()
    network.timer(TCP_TIMER)
    network.after(100.0, network.configure)
    network.after(100.0, network.manage)
    begin(network, client, 1)
    network.run(client.connections * (COMPUTING + 2 * PAUSE + len(client.messages) * 4 * THINK))
    network.record.mark("end")
    return network.record


def make_session(name: str, out: Path) -> str:
    """Writes the trace; returns how many events it has."""
    knobs, client = SESSIONS[name]
    program = f"workloads/tenants/session.py, seed {SEED}"
    return session(knobs, client).write(out, program=program, config=knobs.config())


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("-o", "--out", type=Path, default=CAPTURED, metavar="FOLDER")
    chosen = parser.parse_args()
    for name in SESSIONS:
        print(f"{name:24}{make_session(name, chosen.out / f'{name}.hst.zst')}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
