"""Functions that create a task, and which of their arguments say what it is."""

from __future__ import annotations

from typing import NamedTuple


class TaskCreator(NamedTuple):
    """Numbers of arguments, from 0; `name` -1: it has none. `unit`: bytes of one of `size`; 0: a
    word on other systems than ESP-IDF, where it is a byte."""

    function: str
    entry: int
    name: int
    size: int
    unit: int = 1


class KnownTask(NamedTuple):
    """A task of an SDK, by its entry, where its creation is not in constants. `option`: sets its
    size in bytes; `several`: other tasks have this entry too."""

    entry: str
    name: str
    option: str = ""
    several: bool = False


#: FreeRTOS task.h and ESP-IDF idf_additions.h; ThreadX tx_api.h; Zephyr kernel.h; lwIP sys.h.
CREATORS = (
    TaskCreator("xTaskCreate", 0, 1, 2, 0),
    TaskCreator("xTaskCreateStatic", 0, 1, 2, 0),
    TaskCreator("xTaskCreatePinnedToCore", 0, 1, 2),
    TaskCreator("xTaskCreateStaticPinnedToCore", 0, 1, 2),
    TaskCreator("xTaskCreatePinnedToCoreWithCaps", 0, 1, 2),
    TaskCreator("xTaskCreateWithCaps", 0, 1, 2),
    TaskCreator("xTaskCreateUniversal", 0, 1, 2),
    TaskCreator("sys_thread_new", 1, 0, 3),
    TaskCreator("z_impl_k_thread_create", 3, -1, 2),
    TaskCreator("_txe_thread_create", 2, 1, 5),
    TaskCreator("_tx_thread_create", 2, 1, 5),
)
#: ESP-IDF 5.5: components/freertos, esp_system, esp_timer, esp_event, lwip; arduino-esp32 3.
KNOWN_TASKS = (
    KnownTask("main_task", "main", "ESP_MAIN_TASK_STACK_SIZE"),
    KnownTask("loopTask(void*)", "loopTask", "ARDUINO_LOOP_STACK_SIZE"),
    KnownTask("_Z8loopTaskPv", "loopTask", "ARDUINO_LOOP_STACK_SIZE"),
    KnownTask("prvIdleTask", "IDLE", "FREERTOS_IDLE_TASK_STACKSIZE"),
    KnownTask("prvTimerTask", "Tmr Svc", "FREERTOS_TIMER_TASK_STACK_DEPTH"),
    KnownTask("ipc_task", "ipc", "ESP_IPC_TASK_STACK_SIZE"),
    KnownTask("timer_task", "esp_timer", "ESP_TIMER_TASK_STACK_SIZE"),
    KnownTask(
        "esp_event_loop_run_task", "sys_evt", "ESP_SYSTEM_EVENT_TASK_STACK_SIZE", several=True
    ),
    KnownTask("tcpip_thread", "tiT", "LWIP_TCPIP_TASK_STACK_SIZE"),
)
