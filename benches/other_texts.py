"""Lines that no device prints about its heap: prose, source code, output of builds, and logs of
other programs, drawn from patterns. `~n` is a number, `~w` a word, `~h` a hexadecimal number."""

from __future__ import annotations

import random
import re

_WORDS = [
    "memory",
    "heap",
    "block",
    "free",
    "largest",
    "pool",
    "request",
    "buffer",
    "cache",
    "page",
    "stack",
    "kernel",
    "server",
    "worker",
    "queue",
    "time",
    "user",
    "file",
    "index",
    "table",
    "record",
    "frame",
    "system",
    "value",
    "result",
    "error",
    "night",
    "morning",
    "letter",
    "garden",
    "train",
    "number",
    "bytes",
    "minimum",
    "total",
    "used",
    "device",
    "report",
    "house",
    "river",
    "story",
]

PROSE = (
    "The ~w of the ~w was larger than the ~w, and in ~n nobody had seen the ~w.",
    "In chapter ~n the ~w is free to leave; the largest ~w of them stays behind.",
    "She wrote ~n letters about the ~w, of which the free ones were lost.",
    "A heap of ~w lay before the ~w, about ~n of them.",
    "We measured that the ~w takes ~n % longer when the ~w is warm.",
    "Why does a ~w fail? Because the ~w asks for more than ~n of them at once.",
    "They say that memory serves the ~w better after ~n o'clock.",
    "There were at most ~n blocks between the station and the ~w.",
    "Figure ~n shows how the ~w grows while the ~w shrinks, for ~n readers.",
    "* the ~w, which is free of charge for ~n days",
    "## ~n. The needs of a ~w",
    "See also [the ~w](~w.md#~n) and the minimum of the ~w.",
)
SOURCE = (
    "    ~w = malloc(~n);",
    "    if (~w == NULL || ~w->free < ~n) { return -~n; }",
    "#define ~w_SIZE (~n * 1024u) /* bytes of the ~w */",
    "static uint8_t ~w[~n]; // the largest ~w",
    "    size_t ~w = heap_caps_get_free_size(MALLOC_CAP_DEFAULT);",
    '    printf("Free heap: %u bytes, largest free block: %u\\n", ~w, ~w);',
    '    ESP_LOGE(TAG, "malloc of %d bytes failed", ~n);',
    "def ~w(self, free: int = ~n) -> int:",
    "        return max(self.~w_free, ~n)  # bytes",
    "let ~w: usize = heap.free() + ~n;",
    "int ~w_largest(struct ~w *heap, unsigned ~n_bytes);",
    "        case ~n: free(~w); break;",
    "assert ~w.free == ~n, 'largest block'",
    "@@ -~n,7 +~n,9 @@ static void ~w_free(~w_t *heap)",
)
BUILD = (
    "[~n/~n] Building C object esp-idf/~w/CMakeFiles/__idf_~w.dir/~w.c.obj",
    "cc -O2 -D~w_SIZE=~n -c ~w.c -o ~w.o",
    "~w.c:~n:~n: warning: unused variable '~w' [-Wunused-variable]",
    "~w.c:~n: undefined reference to `~w_free'",
    "-- Configuring done (~n.~ns)",
    "make[~n]: Leaving directory '/src/~w'",
    "   text    data     bss     dec     hex filename",
    "  ~n    ~n    ~n    ~n  ~h ~w.o",
    "Collecting ~w==~n.~n.~n",
    "     ~n packages can be upgraded.",
    "Compiling ~w v~n.~n.~n (/src/~w)",
    "    Finished release [optimized] target(s) in ~n.~ns",
    "test ~w_free_is_largest ... ok",
    "ran ~n tests in ~n.~ns, ~n failed",
    "npm WARN deprecated ~w@~n.~n.~n: ~w is no longer free",
)
OTHERS = (
    "[    ~n.~n] Memory: ~nK/~nK available (~nK kernel code, ~nK rwdata, ~nK bss, ~nK reserved)",
    "[    ~n.~n] page_reporting: free-page bitmap set aside: bytes=~n pfns=~n alloc_us=~n",
    "[    ~n.~n] Freeing unused kernel image (initmem) memory: ~nK",
    "[    ~n.~n] NR_IRQS: ~n, nr_irqs: ~n, preallocated irqs: ~n",
    "[    ~n.~n] x86/mm: Memory block size: ~nMB",
    "[    ~n.~n] ~w: [mem 0x~h-0x~h] available for PCI devices",
    "Nov 29 15:~n:~n host systemd[~n]: Started ~w.service - ~w of the ~w.",
    "Nov 29 15:~n:~n host kernel: Out of memory: Killed process ~n (~w) total-vm:~nkB",
    "[~n.~ns][info][gc] GC(~n) Pause Young (Normal) (G1 Evacuation Pause) ~nM->~nM(~nM) ~n.~nms",
    '10.0.~n.~n - - [29/Nov/2026:15:~n:~n +0000] "GET /~w?free=~n HTTP/1.1" 200 ~n',
    "2026-11-29 15:~n:~n.~n UTC [~n] LOG:  checkpoint complete: wrote ~n buffers (~n.~n%)",
    "2026-11-29T15:~n:~n.~nZ INFO ~w: request ~n took ~n ms, pool ~w has ~n of ~n connections free",
    "used_memory_human:~n.~nM maxmemory:~n",
    "MiB Mem :   ~n.~n total,   ~n.~n free,   ~n.~n used,   ~n.~n buff/cache",
    "Filesystem     1K-blocks     Used Available Use% Mounted on",
    "               total        used        free      shared  buff/cache   available",
    "Mem:        ~n     ~n    ~n      ~n     ~n    ~n",
    "/dev/sda~n  ~n  ~n  ~n  ~n% /~w",
    "  ~n root      20   0   ~nm   ~nm   ~nm S   ~n.~n  ~n.~n   0:~n.~n ~w",
    "npm http fetch GET 200 https://~w.example/~w ~nms (cache miss)",
    "Hit:~n http://~w.example/debian ~w InRelease",
    "goroutine ~n [running]: ~w.free(0x~h, ~n)",
    "level=warn ts=2026-11-29T15:~n:~nZ msg='~w cache full' size=~n max=~n",
)
#: No build and no other program calls its own things so.
_MEASURES = ["free", "used", "minimum", "total", "largest", "memory", "heap"]
KINDS = {"prose": PROSE, "source": SOURCE, "build": BUILD, "others": OTHERS}
_DRAWN = re.compile("~[nwh]")


def lines(kind: str, count: int, rng: random.Random) -> str:
    def drawn(match: re.Match[str]) -> str:
        number = int(10 ** rng.uniform(0, 7))
        return {"~n": f"{number}", "~h": f"{number:08x}"}.get(match[0]) or rng.choice(words)

    words = [word for word in _WORDS if kind in ("prose", "source") or word not in _MEASURES]
    patterns = [rng.choice(KINDS[kind]) for _ in range(count)]
    return "".join(f"{_DRAWN.sub(drawn, pattern)}\n" for pattern in patterns)
