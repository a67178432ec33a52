"""How far a run is: a bar in a notebook, a line on a terminal, or a function that is told."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from html import escape
from typing import Any

from ._optional import found
from .errors import OptionError

Told = Callable[[str], object]


@contextmanager
def shown(progress: Any, name: str) -> Iterator[Told | None]:
    """Whoever is to be told of progress, as JSON; the bar goes away at the end."""
    if progress is not None and not isinstance(progress, bool) and not callable(progress):
        raise OptionError(
            f"progress={progress!r} cannot be used: expected True, False or a function that takes a dictionary", option="progress"
        )
    if callable(progress):
        yield lambda text: progress(json.loads(text))
        return
    notebook = _notebook()
    if progress is False or (progress is None and notebook is None):
        yield None
        return
    bar = _NotebookBar(name, notebook) if notebook is not None else _Line(name)
    try:
        yield bar.tell
    finally:
        bar.end()


def _notebook() -> Any | None:
    """IPython's display module in a notebook."""
    ipython = sys.modules.get("IPython")
    shell = ipython.get_ipython() if ipython is not None and hasattr(ipython, "get_ipython") else None
    if shell is None or not getattr(shell, "kernel", None):
        return None
    return found("IPython.display")


def said(news: dict[str, Any]) -> str:
    """The news in a line."""
    seconds = news["seconds"]
    step, steps = news["step"], news["steps"]
    parts = [f"{seconds:.1f} s"]
    if steps:
        left = seconds / step * (steps - step) if step else float("inf")
        parts += [f"step {step:,} of {steps:,}", f"{left:.0f} s left"] if step else [f"step 0 of {steps:,}"]
    elif news["width"]:
        parts.append(f"{news['width']:,} functions")
    for key, called in (("loss", "loss"), ("error", "error"), ("residual", "held-out residual"), ("best", "best")):
        if news.get(key) is not None:
            parts.append(f"{called} {news[key]:.1e}")
    return "  ".join(parts)


class _Line:
    """One line on the standard error, written over itself."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.length = 0

    def tell(self, text: str) -> None:
        line = f"{self.name}: {said(json.loads(text))}"[:110]
        self._write(line)
        self.length = len(line)

    def _write(self, line: str) -> None:
        try:
            sys.stderr.write("\r" + line.ljust(self.length))
            sys.stderr.flush()
        except (OSError, ValueError):  # nobody reads it
            pass

    def end(self) -> None:
        if self.length:
            self._write("")
            self._write("\r")


class _NotebookBar:
    """HTML that is replaced as the run goes on."""

    def __init__(self, name: str, display: Any) -> None:
        self.name = name
        self.display = display
        self.handle = display.display(display.HTML(self._html({})), display_id=True)

    def _html(self, news: dict[str, Any]) -> str:
        steps = news.get("steps")
        # without a known end the bar moves by itself
        value = f' value="{news["step"]}" max="{steps}"' if steps else ""
        line = said(news) if news else "…"
        return f'<div><b>{escape(self.name)}</b> <progress style="width:20em"{value}></progress> <code>{escape(line)}</code></div>'

    def tell(self, text: str) -> None:
        self.handle.update(self.display.HTML(self._html(json.loads(text))))

    def end(self) -> None:
        self.handle.update(self.display.HTML(""))
