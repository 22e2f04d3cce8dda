"""The progress bar: tqdm, with the text of hdmf-zarr."""

from __future__ import annotations

import warnings
from typing import Any

BAR_FORMAT = (
    "{l_bar}{bar}| {n_fmt}/{total_fmt} MB [Elapsed: {elapsed}, Remaining: {remaining}, Rate:{rate_fmt}{postfix}]"
)


def _tqdm() -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # a notebook without widgets gets the bar of text, which is fine
        from tqdm.auto import tqdm
    return tqdm


class Bar:
    """Called by the engine with how far it is.  What goes wrong with a bar is a warning: it never stops a write."""

    def __init__(self, jobs: int, total_bytes: int, options: dict | None = None, bar_class: Any = None):
        self._before = 0
        self._bar: Any = None
        keywords = {
            "desc": f"Writing Zarr datasets with {jobs} jobs",
            "position": 0,
            "bar_format": BAR_FORMAT,
            "unit": "MB",
            **{key: value for key, value in (options or {}).items() if key not in ("desc", "total", "file")},
            "total": int(total_bytes / 1e6),
        }
        try:
            self._bar = (bar_class or _tqdm())(**keywords)
        except Exception as exception:
            self._fail(exception)

    def _fail(self, exception: Exception) -> None:
        self._bar = None
        warnings.warn(f"No progress bar: {type(exception).__name__}: {exception}", stacklevel=3)

    def __call__(self, dataset: str, done_bytes: int, total_bytes: int, jobs: int) -> None:
        if self._bar is None:
            return
        try:
            n = int((self._before + done_bytes) / 1e6) - self._bar.n
            if n > 0:
                self._bar.update(n)
        except Exception as exception:
            self._fail(exception)

    def next(self, n_bytes: int) -> None:
        """A dataset of `n_bytes` is done; what follows is counted from there."""
        self._before += n_bytes
        self("", 0, 0, 0)

    def close(self) -> None:
        if self._bar is not None:
            try:
                self._bar.close()
            except Exception as exception:
                self._fail(exception)
