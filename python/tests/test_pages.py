"""The Python on the pages of docs/python runs, block after block in one namespace a page."""

import re
import warnings
from pathlib import Path

import pytest

PAGES = sorted((Path(__file__).parents[2] / "docs" / "python").glob("*.md"))


def blocks(page):
    """The Python of a page with the lines where it stands, but what is DeepXDE's own script or needs a cluster's address."""
    text = page.read_text(encoding="utf-8")
    for match in re.finditer(r"^```python\n(.*?)^```$", text, re.MULTILINE | re.DOTALL):
        if not match[1].startswith("# DeepXDE") and "tcp://" not in match[1]:
            yield text[: match.start(1)].count("\n"), match[1]


@pytest.mark.slow
@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_a_page_runs(page, tmp_path, monkeypatch):
    for package in ("torch", "deepxde", "matplotlib", "pandas"):
        if re.search(rf"^import {package}\b", page.read_text(encoding="utf-8"), re.MULTILINE) or package == "matplotlib":
            pytest.importorskip(package)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("MPLBACKEND", "agg")
    names = {}
    exec("import numpy as np, rafnet", names)
    with warnings.catch_warnings():
        warnings.simplefilter("error", UserWarning)
        for line, code in blocks(page):
            exec(compile("\n" * line + code, str(page), "exec"), names)
