"""Small logs of each kind, composed for the tests, and what must be told of them: keys of `answer`,
`failed` as sizes. `need`: asked for."""

from __future__ import annotations

from typing import Any

Case = tuple[str, str, dict[str, Any]]

FIGURES: list[Case] = [
    ("getters", "esp_get_free_heap_size: 11344\nesp_get_minimum_free_heap_size: 464\n"
     "heap_caps_get_largest_free_block: 10252\n",
     {"free": 11344, "min": 464, "largest": 10252, "need": 16717, "fits": False, "short": 6465}),
    ("getters with capabilities", "heap_caps_get_free_size(MALLOC_CAP_INTERNAL) = 61234\n"
     "heap_caps_get_largest_free_block(MALLOC_CAP_INTERNAL) = 31744\n",
     {"free_internal": 61234, "largest": 31744, "need": 31744, "fits": True}),
    ("one line", "Heap: free=123456, largest=65536, min=99000\n",
     {"form": "figures", "free": 123456, "largest": 65536, "min": 99000}),
    ("with units", "Free heap: 120 KB, largest block: 64 KB\n", {"free": 122880, "largest": 65536}),
    ("separators of thousands", "Free heap: 123,456 bytes (min 99,000)\n",
     {"free": 123456, "min": 99000}),
    ("words of sram", "SystemInfo: free sram: 60123 minimal sram: 51234\n",
     {"free": 60123, "min": 51234}),
    ("camel case", "freeHeap: 54321 maxAllocHeap: 32000 minFreeHeap: 50000\n",
     {"free": 54321, "largest": 32000, "min": 50000}),
    ("snake case", "free_heap=54321 largest_free_block=32000 min_free_heap=50000\n",
     {"free": 54321, "largest": 32000, "min": 50000}),
    ("JSON", '{"uptime":123,"freeHeap":54321,"minFreeHeap":50000,"maxAllocHeap":32000}\n',
     {"free": 54321, "min": 50000, "largest": 32000}),
    ("number first", "54321 bytes free, 32000 bytes largest block\n",
     {"free": 54321, "largest": 32000}),
    ("PSRAM beside", "Free heap: 54321, free PSRAM: 4123456\n",
     {"free": 54321, "psram_free": 4123456}),
    ("internal and PSRAM", "Internal free 54321, largest 32000; SPIRAM free 4123456\n",
     {"free_internal": 54321, "largest": 32000, "psram_free": 4123456}),
    ("series", "".join(f"I ({i}000) mem: heap {60000 - i}\n" for i in range(1, 5)),
     {"series_free": [59999, 59998, 59997, 59996], "free": 59996}),
    ("stroke", "Heap: 118432/294912 bytes free\n", {"free": 118432, "total": 294912}),
    ("heap left", "Memory left: 23456\n", {"free": 23456}),
    ("remaining", "RAM remaining 23456 bytes\n", {"free": 23456}),
    ("bar table", "| heap | free 23456 | largest 12000 |\n", {"free": 23456, "largest": 12000}),
    ("FreeRTOS statistics", "xAvailableHeapSpaceInBytes: 12344\n"
     "xSizeOfLargestFreeBlockInBytes: 10000\nxSizeOfSmallestFreeBlockInBytes = 16\n"
     "xMinimumEverFreeBytesRemaining = 9000\n", {"free": 12344, "largest": 10000, "min": 9000}),
    ("RT-Thread", "total    : 327680\nused     : 22684\nmaximum  : 23472\navailable: 304996\n",
     {"free": 304996}),
    ("power of two", "Free heap: 60000, largest block: 16384\n",
     {"largest": 16384, "need": 20000, "fits": None}),
    ("in 16 bits", "Free: 180000 max block: 45044\n",
     {"free": 180000, "largest": 110580, "need": 100000, "fits": None}),
    ("percentage", "Free heap: 92%, largest block 31744\n", {"free": None, "largest": 31744}),
    ("hexadecimal", "heap free 0x1a2b0 largest 0xf000\n", {"free": 107184, "largest": 61440}),
    ("an address, not a size", "heap free: 0x3ffb1234\n", {"free": None}),
    ("words behind a number", "I (5) mon: INT: 87 KB free (62 KB max block, 71 KB min)\n",
     {"free_internal": 89088, "largest": 63488, "min": 72704}),
    ("a unit in the label", "FreeHeap(KB): 31\n", {"free": 31744}),
    ("points between thousands", "Free heap: 45.120 bytes, largest block 20.480 bytes\n",
     {"free": 45120, "largest": 20480}),
    ("a unit behind thousands", "Free heap size: 201 344 bytes\n", {"free": 201344}),
    ("blanks between thousands", "heap   free = 45 120   largest = 20 480\n", {"free": None}),
    ("before and after", "I (5) leak: heap before: 200112 after: 198880 diff: -1232\n",
     {"free": 198880}),
    ("names with points", "esp.heap.free:112344|g\nesp.heap.min:90112|g\n",
     {"free": 112344, "min": 90112}),
    ("the size alone", "Heap Size: 305236\nFree Heap: 210044\n", {"free": 210044, "total": 305236}),
    ("labels of Prometheus", 'heap_free{instance="7"} 97061\n', {"free": 97061}),
    ("beside the address of a device", "24:6f:28:aa:01:02 Free heap: 97061\n", {"free": 97061}),
    ("a head of NuttX to 11", "      total       used       free    largest\n"
     "Mem:  99328      61440      37888      31872\n",
     {"free": 37888, "largest": 31872, "total": 99328, "used": 61440}),
    ("free of a computer", "        total   used   free  shared  buff/cache  available\n"
     "Mem:    16315588  5120000  900000  4000  9000000  10000000\n", {"free": None}),
    ("mallinfo", "Total space allocated from system = 359112\nLargest non-inuse chunk = 310224\n"
     "Total allocated space = 28448\nTotal non-inuse space = 330664\n",
     {"free": 330664, "largest": 310224, "used": 28448, "total": 359112}),
    ("a prompt of Python", ">>> gc.collect(); gc.mem_free()\n102448\n", {"gc_mem_free": 102448}),
    ("a time beside it", "Info:MAIN:Time 121, idle 21212/s, free 77112, MQTT 1(1)\n",
     {"free": 77112}),
    ("nothing believed", "free size: -1431655771\nfree heap: 2863433037\n", {"failed": []}),
]  # fmt: skip

FAILED: list[Case] = [
    ("a number and its name", "OSError: [Errno 12] ENOMEM\n", {"failed": [0]}),
    ("no more memory", "BRY: Exception> 'memory_error' - no more memory\n", {"failed": [0]}),
    ("free bytes beside a failure", "vApplicationMallocFailedHook: heap exhausted "
     "(xPortGetFreeHeapSize() = 1312)\n", {"failed": [0], "free": 1312}),
    ("a request beside what is free", "heap: free=0 (malloc 512 failed)\n",
     {"failed": [512], "free": 0}),
    ("a task, with what is free", "E (5) web: start failed: ESP_ERR_HTTPD_TASK, free heap 18320\n",
     {"failed": [0], "free": 18320}),
    ("a task of Arduino", "E (5) t: xTaskCreateUniversal failed for async_tcp\n", {"failed": [0]}),
    ("a part of the whole", "lwIP: pbuf_alloc(1460) failed, MEM used 15800 of 16000\n",
     {"failed": [1460]}),
    ("no heap space", "Out of heap space!! need 4096 have 1888\n", {"failed": [0]}),
    ("the heap meets the stack", "_sbrk: heap and stack collision, requested 256\n",
     {"failed": [256]}),
    ("callback", "calloc was called but failed to allocate 2100 bytes with 0x80c capabilities.\n",
     {"form": "failed", "failed": [2100]}),
    ("callback in decimal", "malloc was called but failed to allocate 2100 bytes with 6144 "
     "capabilities.\n", {"failed": [2100]}),
    ("abort", "Mem alloc fail. size 0x00000834 caps 0x00001800\n", {"failed": [2100]}),
    ("callback and abort are one", "heap_caps_malloc was called but failed to allocate 2100 bytes "
     "with 0x1800 capabilities.\nMem alloc fail. size 0x00000834 caps 0x00001800\n",
     {"failed": [2100]}),
    ("grouped", "Mem alloc fail. size 0x10 caps 0x8\n" * 3, {"failed": [16]}),
    ("malloc(n)", "E (5) app: malloc(40000) failed!\n", {"failed": [40000]}),
    ("failed to allocate", "Failed to allocate 40000 bytes for buffer\n", {"failed": [40000]}),
    ("could not allocate", "E: could not allocate buffer of size 40000\n", {"failed": [40000]}),
    ("with what is free", "alloc of 40000 bytes failed, free heap 51234, largest 31744\n",
     {"failed": [40000], "free": 51234, "largest": 31744}),
    ("out of memory", "E (77) http: out of memory\n", {"failed": [0]}),
    ("no mem", "E (77) ble: no mem\n", {"failed": [0]}),
    ("bad_alloc", "terminate called after throwing an instance of 'std::bad_alloc'\n",
     {"failed": [0]}),
    ("task", "E (5130) AUDIO_THREAD: Error creating task my_task\n",
     {"form": "task_create", "failed": [0]}),
    ("ESP8266 SDK", "E:M 1432\n", {"form": "esp8266_em", "failed": [1432]}),
    ("ESP8266 exception", "Exception (29):\nlast failed alloc call: 402012AB(2048)\n",
     {"form": "esp8266_exception", "failed": [2048]}),
    ("Bluetooth", "E (71085) BLE_INIT: Malloc failed\n", {"form": "bt_init", "failed": [0]}),
    ("camera", "E (462) cam_hal: cam_dma_config(300): frame buffer malloc failed\n",
     {"form": "camera", "failed": [0]}),
    ("Wi-Fi buffers", "W (7) wifi:alloc eb len=100 type=2 fail, heap:5424\n"
     "W (7) wifi:m f probe req l=0\n",
     {"form": "wifi_nomem", "failed": [100], "series_free": [5424]}),
    ("Wi-Fi start", "E (9) wifi:Expected to init 10 rx buffer, actual is 3\n"
     "E (9) app: esp_wifi_init failed (257)\n",
     {"form": "wifi_nomem", "failed": [0], "error": "257"}),
    ("asked, then failed", "I (1) cam: Allocating frame buffer (61440 bytes)\n"
     "E (2) cam: Failed to allocate frame buffer\n",
     {"failed": [61440], "need": 61440, "fits": False}),
    ("ESP_ERR_NO_MEM", "ESP_ERROR_CHECK failed: esp_err_t 0x101 (ESP_ERR_NO_MEM) at 0x400d1f3f\n",
     {"failed": [0]}),
    ("errno", "OSError: [Errno 12] ENOMEM\n", {"failed": [0], "error": "12"}),
    ("core dump", "=== ESP32 CORE DUMP START ===\nPanic reason: Mem alloc fail. size 0x00000640 "
     "caps 0x00001800\n", {"form": "coredump", "failed": [1600]}),
]  # fmt: skip

TLS: list[Case] = [
    ("hexadecimal", "E (1) esp-tls: mbedtls_ssl_setup returned -0x7F00\n",
     {"form": "tls_error", "error": "-0x7f00", "failed": [0]}),
    ("decimal", "E (1) app: mbedtls_ssl_handshake returned -32512\n",
     {"error": "-0x7f00", "failed": [0]}),
    ("as 32 bits", "[E] mbedtls_ssl_setup res=FFFF8100 (SSL - Memory allocation failed)\n",
     {"error": "-0x7f00", "failed": [0]}),
    ("in words", "(-4) X509 - Allocation of memory failed\n", {"failed": [0]}),
    ("another error", "E (1) esp-tls: mbedtls_ssl_handshake returned -0x2700\n",
     {"error": "-0x2700", "failed": []}),
]  # fmt: skip

DECLINED: list[Case] = [
    ("alert of the peer", "E (1) esp-tls: mbedtls_ssl_handshake returned -0x7780\n", {}),
    ("sockets", "W (155851) httpd: httpd_accept_conn: error in accept (23)\n", {}),
    ("stack overflow", "ERROR A stack overflow in task main has been detected.\n", {}),
    ("panic", "Guru Meditation Error: Core  1 panic'ed (LoadProhibited).\n", {}),
    ("graphics card", "CUDA out of memory. Tried to allocate 2.00 GiB (24.00 GiB total)\n", {}),
    ("PC", "MemFree:         1234567 kB\nMemAvailable:    2234567 kB\n", {}),
    ("numpy", "numpy.core._exceptions.MemoryError: Unable to allocate 1.2 GiB for an array\n", {}),
    ("flash", "RAM:   [=         ]  12.5% (used 40984 bytes from 327680 bytes)\n"
     "Flash: [======    ]  60.5% (used 792984 bytes from 1310720 bytes)\n", {}),
    ("file system", "Partition size: total: 956561, used: 0\nSPIFFS: free 956561 bytes\n", {}),
    ("SD card", "SD card total 15193 MB, free 15190 MB\n", {}),
    ("NVS", "Count: UsedEntries = (2), FreeEntries = (628), AllEntries = (630)\n", {}),
    ("stacks", "Free stack: 1234\nstack high water mark: 512\n", {}),
    ("queues", "queue free 10 of 32, sockets free 4\n", {}),
    ("counts", "malloc failure count: 0, alloc errors=0\n", {}),
    ("leak check passed", "I (9) app: memory leak check passed\n", {}),
    ("driver's limit", "E (3223) wifi:esf_buf: t=3 l=28 max:32, alloc:32 no eb\n", {}),
    ("backtrace", "0x400d1f3f: heap_caps_malloc_base at heap_caps_base.c:143 size=1234\n",
     {"not_understood": 0}),
    ("inlined call", "  (inlined by) heap_caps_malloc at heap_caps.c:143 size=1234\n",
     {"not_understood": 0}),
    ("unknown words of memory", "heap block of 1234 bytes was dropped\n", {"not_understood": 1}),
    ("forbidden time", "Heap allocation when VM not running.\n", {}),
]  # fmt: skip

BOOT: list[Case] = [
    ("4.4", "I (320) heap_init: At 3FFAE6E0 len 00001920 (6 KiB): DRAM\n"
     "I (326) heap_init: At 3FFB2EC8 len 0002D138 (180 KiB): DRAM\n",
     {"form": "boot", "boot_regions": 2, "boot_bytes": 191064}),
    ("with PSRAM", "I (320) heap_init: At 3FC96EF0 len 00052820 (330 KiB): RAM\n"
     "I (331) esp_psram: Adding pool of 8192K of PSRAM memory to heap allocator\n",
     {"boot_regions": 1, "boot_bytes": 337952, "psram_bytes": 8388608}),
    ("the last start counts", "I (9) heap_init: At 3FC96EF0 len 00052820 (330 KiB): RAM\n"
     "rst:0xc (SW_CPU_RESET),boot:0x33\nI (9) heap_init: At 3FC96E00 len 00052910 (330 KiB): RAM\n",
     {"boot_regions": 1, "boot_bytes": 338192}),
    ("layout", "D (2) memory_layout: Available memory region 0x3ffaff10 - 0x3ffb0000\n",
     {"form": "memory_layout"}),
]  # fmt: skip

BLOCKS: list[Case] = [
    ("leaks of 4.4", "2 allocations trace (100 entry buffer)\n"
     "32 bytes (@ 0x3ffaf214) allocated CPU 0 ccount 0x2e9b7384 caller 0x400d276d\n"
     "8 bytes (@ 0x3ffaf804) allocated CPU 0 ccount 0x2e9b79c0 caller 0x400d2776\n"
     "40 bytes 'leaked' in trace (2 allocations)\ntotal allocations 2 total frees 0\n",
     {"form": "trace", "leaked_bytes": 40, "leaked_blocks": 2}),
    ("SystemView", "[0.1] HEAP: Allocated 2 bytes @ 0x3ffaffe0 from task \"alloc\" on core 0 by:\n"
     "Found 10 leaked bytes in 4 blocks.\n",
     {"form": "sysview_text", "leaked_bytes": 10, "leaked_blocks": 4}),
    ("DMA failed, malloc has PSRAM", "I (1057) spiram: Adding pool of 4096K of external SPI memory "
     "to heap allocator\nFree heap: 4100000, largest block: 3900000\n"
     "heap_caps_malloc was called but failed to allocate 2048 bytes with 0x8 capabilities.\n",
     {"need": 16717, "fits": True, "failed": [2048]}),
    ("internal failed, malloc has PSRAM", "I (1057) spiram: Adding pool of 4096K of external SPI "
     "memory to heap allocator\nFree heap: 4100000, largest block: 3900000\n"
     "heap_caps_malloc was called but failed to allocate 2048 bytes with 0x1800 capabilities.\n",
     {"need": 16717, "fits": True, "failed": [2048]}),
    ("internal failed without PSRAM", "Free heap: 41000, largest block: 39000\n"
     "heap_caps_malloc was called but failed to allocate 2048 bytes with 0x1800 capabilities.\n",
     {"need": 16717, "fits": False, "failed": [2048]}),
    ("dump", "Showing data for heap: 0x3c160000\n"
     "Block 0x3c160900 data, size: 36 bytes, Free: No\n"
     "Block 0x3c160928 data, size: 5000 bytes, Free: Yes\n",
     {"form": "heap_dump", "largest": 5000, "need": 5001, "fits": None}),
    ("tasks of 4.4", "Task: main -> CAP_8BIT: 41184 CAP_32BIT: 0\n", {"form": "task_stat4"}),
    ("tasks of 6.0", "├ ALIVE: main, CURRENT MEMORY USAGE 308, PEAK MEMORY USAGE 7412, "
     "TOTAL HEAP USED 2:\n", {"form": "task_tree"}),
    ("single allocations", "W (1) alloc: 0x3fcaa9b0 allocated 124 bytes\n",
     {"form": "alloc_lines"}),
    ("tail", "CORRUPT HEAP: Bad tail at 0x3ffb1234. Expected 0xbaad5678 got 0x00000000\n",
     {"form": "corrupt", "corrupt": "0x3ffb1234"}),
    ("freed", "CORRUPT HEAP: Invalid data at 0x3ffb1234. Expected 0xfefefefe got 0x12345678\n",
     {"form": "corrupt", "corrupt": "['0x3ffb1234']"}),
    ("assertion", "assert failed: tlsf_free tlsf.c:630 (!block_is_free(block))\n",
     {"form": "corrupt", "corrupt": "none"}),
]  # fmt: skip

SYSTEMS: list[Case] = [
    ("Arduino", "INTERNAL Memory Info:\n  Total Size        :   380612 B ( 371.7 KB)\n"
     "  Free Bytes        :   339020 B ( 331.1 KB)\n  Allocated Bytes   :    34252 B (  33.4 KB)\n"
     "  Minimum Free Bytes:   333120 B ( 325.3 KB)\n"
     "  Largest Free Block:   110580 B ( 108.0 KB)\nSPIRAM Memory Info:\n"
     "  Total Size        :  8388608 B (8192.0 KB)\n  Free Bytes        :  8383912 B (8187 KB)\n",
     {"form": "arduino_report", "free": 339020, "largest": 110580, "min": 333120,
      "psram_free": 8383912, "need": 110592, "fits": False, "short": 12}),
    ("Tasmota", '{"StatusMEM":{"ProgramSize":730,"Free":1316,"Heap":18,"ProgramFlashSize":4096}}\n',
     {"form": "tasmota_status4", "free_kb": 18}),
    ("ESPHome", "[D][debug:031]: ESPHome version 2025.1.0\n[D][debug:035]: Free Heap Size: 41234 "
     "bytes\n", {"form": "esphome_debug", "free": 41234}),
    ("ESPHome's sensor", "[D][sensor:093]: 'Heap Free': Sending state 41234.00000 B with 0 "
     "decimals of accuracy\n", {"form": "esphome_sensor", "free": 41234}),
    ("ESPHome's JSON", "[E][json:048]: Could not allocate memory for JSON document! Requested 5120 "
     "bytes, largest free heap block: 4096 bytes\n", {"failed": [5120], "largest": 4096}),
    ("MicroPython's C heap", ">>> esp32.idf_heap_info(esp32.HEAP_DATA)\n"
     "[(7288, 8, 0, 0), (113840, 60000, 59392, 51000)]\n",
     {"form": "mpy_tuples", "regions": 2, "free": 60008, "largest": 59392}),
    ("MicroPython's own heap", "GC: total: 64000, used: 60000, free: 4000\n"
     " No. of 1-blocks: 39, 2-blocks: 18, max blk sz: 32, max free sz: 100\n",
     {"form": "mpy_meminfo", "gc_free": 4000, "need": 2000, "fits": False, "short": 400}),
    ("MemoryError", "MemoryError: memory allocation failed, allocating 4097 bytes\n",
     {"form": "mpy_memoryerror", "failed": [4097], "need": 5000, "fits": False}),
    ("gc.mem_free()", ">>> gc.mem_free()\n12345\n", {"gc_mem_free": 12345}),
    ("NodeMCU", "NodeMCU 3.0.0.0 built\n> =node.heap()\n41234\n",
     {"form": "nodemcu_heap", "free": 41234}),
    ("NuttX", "      Umem:     282756     136676     146080     137944     145936    230      5\n",
     {"form": "nuttx_free", "free": 146080, "largest": 145936, "total": 282756, "used": 136676}),
    ("NuttX's processes", "  PID PRI TYPE      HEAP STACK COMMAND\n"
     "    1 100 Task    001234 02048 init\n", {"form": "nuttx_ps"}),
    ("Zephyr", "Heap at 0x20001000 contains 100 units in 7 buckets\n"
     "chunk    0: [*] size=4    left=0    right=4\nchunk    4: [-] size=96   left=4    right=100\n",
     {"form": "zephyr_heap", "largest": 764}),
    ("LVGL", "used:  55000 (  6 %), frag:   1 %, biggest free: 993568\n",
     {"form": "lvgl", "used": 55000, "largest": 993568}),
    ("OVMS", "Free 8-bit 74380/147632, 32-bit 21988/48772, blocks dumped = 27\n",
     {"form": "ovms_memory"}),
    ("Tizen RT", "mm_manage_alloc_fail:  - requested size 1024000\n"
     "mm_manage_alloc_fail:  - largest free size : 60960\n"
     "mm_manage_alloc_fail:  - total free size   : 69248\n",
     {"form": "tizen", "failed": [1024000], "largest": 60960, "free": 69248}),
]  # fmt: skip

ALL = {
    f"{kind}: {name}": (text, wanted)
    for kind, cases in {
        "figures": FIGURES,
        "failed": FAILED,
        "TLS": TLS,
        "declined": DECLINED,
        "boot": BOOT,
        "blocks": BLOCKS,
        "systems": SYSTEMS,
    }.items()
    for name, text, wanted in cases
}
