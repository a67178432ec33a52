"""What the tests share: the command beside the package, where it was built."""

import os
import shutil
from pathlib import Path

import pytest


@pytest.fixture(scope="session")
def raf():
    """The command `raf`: RAF_BINARY, or the one on the path."""
    found = os.environ.get("RAF_BINARY") or shutil.which("raf")
    if not found or not Path(found).is_file():
        pytest.skip("left out: RAF_BINARY names no `raf` to compare with")
    return found


def n_threads():
    """Threads of this process."""
    return len(os.listdir("/proc/self/task"))
