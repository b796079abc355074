"""The option that sizes a task's stack (Kconfig of ESP-IDF 5.5, Zephyr 4; arduino-esp32)."""

from __future__ import annotations

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


def stack_option(task: str, *, zephyr: bool) -> str:
    """Names the option to change, as a clause."""
    table = _ZEPHYR if zephyr else _IDF
    option = table.get(task) or table.get(task.rstrip("0123456789 "))
    if option is not None:
        return f"raise {option}, or put less on that stack"
    if zephyr:
        return "raise the stack size where the thread is defined, or put less on that stack"
    return "raise the stack size where the task is created, or put less on that stack"
