"""The machine that figures come from."""

from __future__ import annotations

import platform
import re
from pathlib import Path


def processor() -> str:
    """Returns the name of this machine's processor."""
    path = Path("/proc/cpuinfo")
    found = re.search(r"model name\s*: (.+)", path.read_text()) if path.exists() else 0
    return found[1] if found else platform.processor()
