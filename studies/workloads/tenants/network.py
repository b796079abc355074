"""Wi-Fi and lwIP of a station, simulated in virtual time: what each packet allocates and frees.

Laws (times in milliseconds; "about n" is exponential with that mean):

- Start: static and management receive buffers, the TCP/IP task's mailbox and stack, lwIP's cyclic
  timers; then four DHCP messages.
- A connection comes about every 1500, unless all sockets are in use: mailbox, netconn, control
  block. It makes 1 to 8 exchanges: a request of 100 to 4000 bytes, an answer of 200 to 60 000, both
  log-uniform, with a pause of about 400 between them, and closes. Its control block then waits for
  twice the MSL.
- Sending: segments of MSS up to the send buffer, each a pbuf and a tcp_seg until it is acknowledged
  after a round trip of 40 and about 20; each also a driver's buffer until it is sent, about 3.
- Receiving: the other side sends a window a round trip, its segments 1 apart, those of one
  aggregate together. Each takes a driver's buffer, a pbuf that refers to it, and a message to the
  TCP/IP task, freed about 0.3 later.
  A segment stays until the application reads it, after about 4, in one of ten windows about 60. One
  in a hundred is lost: those after it in its window wait with a tcp_seg each, up to the limit,
  until it comes again a round trip later. Every second segment is acknowledged.
- A short management frame is sent about every 500.

The application's actions depend on the seed alone, so that two sets of options meet the same
connections. Round trips, losses and the shape of the traffic are chosen, not measured: the options
decide how much of it can be in memory at once, which is what the trace is for.
"""

from __future__ import annotations

import heapq
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

from tenants import sizes
from tenants.knobs import Knobs
from tenants.record import DMA, Block, Record
from tools.chance import Chance

__all__ = ["simulate"]

#: lwip/opt.h and lwip/prot: TCP_TMR_INTERVAL, ARP_TMR_INTERVAL, DHCP_FINE_TIMER_MSECS,
#: DHCP_COARSE_TIMER_SECS, DNS_TMR_INTERVAL, IP_TMR_INTERVAL, ND6_TMR_INTERVAL, IGMP_TMR_INTERVAL.
TCP_TIMER = 250.0
TIMERS = (1000.0, 500.0, 60000.0, 1000.0, 1000.0, 1000.0, 100.0)


class Network:
    def __init__(self, knobs: Knobs, seed: int, *, old: bool = False) -> None:
        """`old`: with the queues of ESP-IDF 4.2."""
        self.knobs = knobs
        self.old = old
        self.chance = Chance(seed, 0)  # of the link
        self.traffic = Chance(seed, 1)  # what the application does: the same under any options
        self.record = Record()
        self.now = 0.0
        self._queue: list[tuple[float, int, Callable[[], None]]] = []
        self._count = 0
        self.receiving = self.sending = self.short = 0
        self.open: list[Connection] = []
        self.waiting: deque[Block] = deque()  # control blocks in TIME_WAIT, the oldest first

    # ---- time -----------------------------------------------------------------------------------

    def after(self, milliseconds: float, call: Callable[[], None]) -> None:
        self._count += 1
        heapq.heappush(self._queue, (self.now + milliseconds, self._count, call))

    def run(self, until: float) -> None:
        while self._queue and self._queue[0][0] <= until:
            self.now, _, call = heapq.heappop(self._queue)
            self.record.now = self.now
            call()

    def timer(self, interval: float) -> None:
        """A cyclic timer: each time it runs, its entry is freed and a new one made."""
        entry = self.record.take("tcpip", sizes.TIMER)

        def expire() -> None:
            self.record.give("tcpip", entry)
            self.timer(interval)

        self.after(interval, expire)

    # ---- the driver -----------------------------------------------------------------------------

    def start(self) -> None:
        for _ in range(self.knobs.static_rx):
            self.record.take("wifi", sizes.STATIC_RX, caps=DMA)
        for _ in range(self.knobs.mgmt_rx):
            self.record.take("wifi", sizes.MGMT_RX)
        self.record.mark("wifi started")
        for size in sizes.mailbox(self.knobs.tcpip_mailbox, old=self.old):
            self.record.take("tcpip", size)
        self.record.take("main", self.knobs.tcpip_stack)  # the task that makes it has it
        for interval in TIMERS:
            self.timer(interval)
        self.record.mark("tcpip started")

    def send(self, owner: str, ethernet: int) -> bool:
        """A frame into the driver's queue; False: it is full."""
        if self.sending == self.knobs.dynamic_tx:
            return False
        self.sending += 1
        buffer = self.record.take(owner, sizes.wifi_buffer(ethernet))

        def sent() -> None:
            self.sending -= 1
            self.record.give("wifi", buffer)

        self.after(self.chance.about(3), sent)
        return True

    def receive(self, ethernet: int) -> tuple[Block, Block] | None:
        """A frame from the air, on its way to lwIP; None: dropped for want of a buffer."""
        if self.receiving == self.knobs.dynamic_rx != 0:
            return None
        self.receiving += 1
        buffer = self.record.take("wifi", sizes.wifi_buffer(ethernet))
        pbuf = self.record.take("wifi", sizes.CUSTOM_PBUF)
        message = self.record.take("wifi", sizes.MESSAGE)
        self.after(self.chance.about(0.3), lambda: self.record.give("tcpip", message))
        return buffer, pbuf

    def release(self, packet: tuple[Block, Block]) -> None:
        self.receiving -= 1
        for block in packet:
            self.record.give("tcpip", block)

    def manage(self) -> None:
        """A short management frame, again and again."""
        if self.short < self.knobs.mgmt_short:
            self.short += 1
            block = self.record.take("wifi", sizes.MGMT_SHORT)

            def sent() -> None:
                self.short -= 1
                self.record.give("wifi", block)

            self.after(self.chance.about(2), sent)
        self.after(self.chance.about(500), self.manage)

    def configure(self) -> None:
        """DHCP: discover, offer, request, acknowledgement."""
        for step, received in enumerate((False, True, False, True)):
            self.after(50.0 * step, self.take_offer if received else self.ask)

    def ask(self) -> None:
        pbuf = self.record.take("tcpip", sizes.ram_pbuf(sizes.DHCP_MESSAGE))
        self.send("tcpip", sizes.DHCP_FRAME)
        self.record.give("tcpip", pbuf)

    def take_offer(self) -> None:
        packet = self.receive(sizes.DHCP_FRAME)
        if packet is not None:
            self.after(1.0, lambda: self.release(packet))

    # ---- connections ----------------------------------------------------------------------------

    def plan(self) -> list[Exchange]:
        draw = self.traffic
        return [
            Exchange(draw.about(400), draw.between(100, 4000), draw.between(200, 60000))
            for _ in range(1 + draw.below(8))
        ]

    def connect(self) -> None:
        """A new connection now, if a socket is left; the next one about 1500 later."""
        plan = self.plan()
        self.after(self.traffic.about(1500), self.connect)
        if len(self.open) < self.knobs.sockets:
            if len(self.open) + len(self.waiting) >= self.knobs.active_tcp and self.waiting:
                self.record.give("tcpip", self.waiting.popleft())
            Connection(self, plan).begin()

    def wait_out(self, pcb: Block) -> None:
        self.waiting.append(pcb)

        def over() -> None:
            if pcb in self.waiting:
                self.waiting.remove(pcb)
                self.record.give("tcpip", pcb)

        self.after(2.0 * self.knobs.msl, over)


@dataclass(frozen=True)
class Exchange:
    pause: float
    request: int
    answer: int


@dataclass(eq=False)
class Connection:
    network: Network
    plan: list[Exchange]

    def begin(self) -> None:
        network = self.network
        network.open.append(self)
        take = network.record.take
        self.blocks = [take("tcpip", size) for size in self.objects()]
        self.pcb = take("tcpip", sizes.TCP_PCB)
        self.next_exchange()

    def objects(self) -> tuple[int, ...]:
        """Bytes of each object that its socket has, beside the control block."""
        knobs = self.network.knobs
        return (sizes.NETCONN, *sizes.mailbox(knobs.tcp_mailbox, old=self.network.old))

    def round_trip(self) -> float:
        return 40 + self.network.chance.about(20)

    def next_exchange(self) -> None:
        if not self.plan:
            self.close()
            return
        one = self.plan.pop(0)
        self.network.after(one.pause, lambda: self.send_request(one.request, one.answer))

    def close(self) -> None:
        for block in reversed(self.blocks):
            self.network.record.give("tcpip", block)
        self.network.open.remove(self)
        self.network.wait_out(self.pcb)

    def send_request(self, request: int, answer: int) -> None:
        """Sends what the send buffer takes; the rest or the answer follow the acknowledgement."""
        network, mss = self.network, self.network.knobs.mss
        now = min(request, network.knobs.send_buffer)
        held = []
        for start in range(0, now, mss):
            payload = min(mss, now - start)
            # TCP_OVERSIZE: a segment's pbuf has room for a whole one.
            held.append(network.record.take("tcpip", sizes.ram_pbuf(mss)))
            held.append(network.record.take("tcpip", sizes.SEGMENT))
            network.send("tcpip", sizes.frame(payload))  # one that is dropped is sent again unseen

        def acknowledged() -> None:
            for block in held:
                network.record.give("tcpip", block)
            if request > now:
                self.send_request(request - now, answer)
            else:
                self.receive_answer(answer)

        network.after(self.round_trip(), acknowledged)

    def receive_answer(self, answer: int) -> None:
        """A window of segments, then the next one; then the next exchange."""
        if answer == 0:
            self.next_exchange()
            return
        knobs, chance = self.network.knobs, self.network.chance
        now = min(answer, knobs.window)
        payloads = [min(knobs.mss, now - start) for start in range(0, now, knobs.mss)]
        patience = chance.about(60 if chance.below(10) == 0 else 4)
        window = Window(self, payloads, patience, lambda: self.receive_answer(answer - now))
        window.begin()


class Window:
    """Segments that the other side sends at once, until the application has read them all."""

    def __init__(
        self,
        connection: Connection,
        payloads: list[int],
        patience: float,
        done: Callable[[], None],
    ) -> None:
        self.connection = connection
        self.network = connection.network
        self.payloads = payloads
        self.patience = patience
        self.done = done
        self.packets: dict[int, tuple[Block, Block]] = {}  # received and not yet read
        self.entries: dict[int, Block] = {}  # of those, out of order
        self.expected = 0
        self.read = 0

    def begin(self) -> None:
        for number in range(len(self.payloads)):
            lost = self.network.chance.below(100) == 0
            together = max(1, self.network.knobs.rx_ba_window)
            after = float(number // together * together)
            delay = after + (self.connection.round_trip() if lost else 0.0)
            self.network.after(delay, partial(self.arrive, number))

    def arrive(self, number: int) -> None:
        late = number > self.expected
        full = late and len(self.entries) >= self.network.knobs.out_of_order > 0
        packet = None if full else self.network.receive(sizes.frame(self.payloads[number]))
        if packet is None:  # the other side sends it again
            self.network.after(self.connection.round_trip(), lambda: self.arrive(number))
            return
        self.packets[number] = packet
        if late:
            self.entries[number] = self.network.record.take("tcpip", sizes.SEGMENT)
        while self.expected in self.packets:
            self.accept(self.expected)

    def accept(self, number: int) -> None:
        """The segment is in order: it goes to the application's mailbox."""
        if number in self.entries:
            self.network.record.give("tcpip", self.entries.pop(number))
        self.expected += 1
        if number % 2 == 1 or self.expected == len(self.payloads):
            self.acknowledge()
        self.network.after(self.patience, lambda: self.take(number))

    def acknowledge(self) -> None:
        pbuf = self.network.record.take("tcpip", sizes.ram_pbuf(0))
        self.network.send("tcpip", sizes.ACK_FRAME)
        self.network.record.give("tcpip", pbuf)

    def take(self, number: int) -> None:
        self.network.release(self.packets.pop(number))
        self.read += 1
        if self.read == len(self.payloads):
            self.network.after(self.connection.round_trip(), self.done)


def simulate(knobs: Knobs, *, seed: int, seconds: int) -> Record:
    """The events of a station's network over so many seconds after its start."""
    network = Network(knobs, seed)
    network.start()
    network.timer(TCP_TIMER)
    network.after(100.0, network.configure)
    network.after(400.0, lambda: network.record.mark("address"))
    network.after(100.0, network.manage)
    network.after(500.0, network.connect)
    for minute in range(1, seconds // 60 + 1):
        network.after(60000.0 * minute, partial(network.record.mark, f"minute {minute}"))
    network.run(1000.0 * seconds)
    network.record.mark("end")
    return network.record
