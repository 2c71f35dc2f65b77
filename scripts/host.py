"""Describes this machine for the reports."""

import os
import platform


def cpu_model():
    """The processor's name."""
    with open("/proc/cpuinfo", encoding="utf-8") as cpuinfo:
        models = [line.split(":", 1)[1].strip() for line in cpuinfo if line.startswith("model name")]
    return models[0] if models else platform.machine()


def machine():
    """The processor, the cores and the kernel in a line."""
    return f"{cpu_model()}, {os.cpu_count()} cores, Linux {platform.release().split('-')[0]}"
