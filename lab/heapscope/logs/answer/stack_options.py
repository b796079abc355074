"""The option that sizes a task's stack (Kconfig of ESP-IDF 5.5, Zephyr 4, NuttX 12 and RT-Thread
5; Mbed OS 6; arduino-esp32)."""

from __future__ import annotations

from collections.abc import Mapping

_IDF = {
    "main": "CONFIG_ESP_MAIN_TASK_STACK_SIZE",
    "sys_evt": "CONFIG_ESP_SYSTEM_EVENT_TASK_STACK_SIZE",
    "loopTask": "SET_LOOP_TASK_STACK_SIZE() in the sketch",
    "Tmr Svc": "CONFIG_FREERTOS_TIMER_TASK_STACK_DEPTH",
    "esp_timer": "CONFIG_ESP_TIMER_TASK_STACK_SIZE",
    "IDLE": "CONFIG_FREERTOS_IDLE_TASK_STACKSIZE",
    "ipc": "CONFIG_ESP_IPC_TASK_STACK_SIZE",
    "tiT": "CONFIG_LWIP_TCPIP_TASK_STACK_SIZE",
    "mdns": "CONFIG_MDNS_TASK_STACK_SIZE",
    "mqtt_task": "CONFIG_MQTT_TASK_STACK_SIZE",
    "httpd": "stack_size of httpd_config_t",
    "console_repl": "task_stack_size of esp_console_repl_config_t",
    "nimble_host": "CONFIG_BT_NIMBLE_HOST_TASK_STACK_SIZE",
    "BTC_TASK": "CONFIG_BT_BTC_TASK_STACK_SIZE",
    "BTU_TASK": "CONFIG_BT_BTU_TASK_STACK_SIZE",
    "pthread": "CONFIG_PTHREAD_TASK_STACK_SIZE_DEFAULT",
    "emac_rx": "rx_task_stack_size of eth_mac_config_t",
    "async_tcp": "CONFIG_ASYNC_TCP_STACK_SIZE",
    "CHIP": "CONFIG_CHIP_TASK_STACK_SIZE",
}
_ZEPHYR = {
    "main": "CONFIG_MAIN_STACK_SIZE",
    "sysworkq": "CONFIG_SYSTEM_WORKQUEUE_STACK_SIZE",
    "idle": "CONFIG_IDLE_STACK_SIZE",
    "shell_uart": "CONFIG_SHELL_STACK_SIZE",
    "logging": "CONFIG_LOG_PROCESS_THREAD_STACK_SIZE",
    "rx_q[0]": "CONFIG_NET_RX_STACK_SIZE",
    "tx_q[0]": "CONFIG_NET_TX_STACK_SIZE",
    "BT RX": "CONFIG_BT_RX_STACK_SIZE",
}


#: The options of another system by its task, and what its other tasks have.
_SYSTEMS: Mapping[str, tuple[Mapping[str, str], str]] = {
    "Zephyr": (_ZEPHYR, "the stack size where the thread is defined"),
    "Mbed": (
        {
            "main": '"rtos.main-thread-stack-size" in mbed_app.json',
            "rtx_timer": '"rtos.timer-thread-stack-size" in mbed_app.json',
            "rtx_idle": '"rtos.idle-thread-stack-size" in mbed_app.json',
        },
        "stack_size of its Thread",
    ),
    "NuttX": (
        {
            "init": "CONFIG_INIT_STACKSIZE",
            "nsh_main": "CONFIG_INIT_STACKSIZE",
            "hpwork": "CONFIG_SCHED_HPWORKSTACKSIZE",
            "lpwork": "CONFIG_SCHED_LPWORKSTACKSIZE",
            "Idle_Task": "CONFIG_IDLETHREAD_STACKSIZE",
        },
        "STACKSIZE in the Makefile of the application",
    ),
    "RT-Thread": (
        {
            "main": "RT_MAIN_THREAD_STACK_SIZE",
            "tshell": "FINSH_THREAD_STACK_SIZE",
            "tidle": "IDLE_THREAD_STACK_SIZE",
            "timer": "RT_TIMER_THREAD_STACK_SIZE",
            "tcpip": "RT_LWIP_TCPTHREAD_STACKSIZE",
            "erx": "RT_LWIP_ETHTHREAD_STACKSIZE",
            "etx": "RT_LWIP_ETHTHREAD_STACKSIZE",
        },
        "stack_size of rt_thread_create()",
    ),
    "ThreadX": ({}, "stack_size of tx_thread_create()"),
    "RIOT": ({}, "the stack of thread_create(), or THREAD_STACKSIZE_MAIN"),
    "RTX": ({}, "stack_size of osThreadAttr_t"),
    "Rust": ({}, "stack_size of std::thread::Builder"),
    "CircuitPython": ({}, "supervisor.runtime.next_stack_limit"),
}
#: The stack of a sketch on an ESP8266 has no option.
_FIXED = {"ESP8266": "its 4 KB are fixed: move large arrays off it"}


def stack_option(task: str, system: str) -> str:
    """The remedy, as a clause. `system`: whose message it is, as the reader of logs has it."""
    if system in _FIXED:
        return _FIXED[system]
    table, others = _SYSTEMS.get(system, (_IDF, "the stack size where the task is created"))
    option = table.get(task) or table.get(task.rstrip("0123456789 ")) or others
    return f"raise {option}, or put less on that stack"
