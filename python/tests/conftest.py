"""What the tests share: the command beside the package, where it was built."""

import os
import shutil
import signal
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


# a shell starts what runs in the background with the interrupt key ignored, and Python then leaves it so
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)
