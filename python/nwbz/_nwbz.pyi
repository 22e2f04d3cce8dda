"""The C library behind nwbz: a translator only."""

from collections.abc import Buffer, Callable, Sequence
from typing import Any

class Error(Exception):
    """What the library could not do.  The text names file, dataset and chunk."""

    code: str
    where: str
    message: str
    errno: int

class Store:
    @property
    def path(self) -> str | None: ...
    @staticmethod
    def create(path: str, existing: str = "error", sync: bool = True) -> Store: ...
    @staticmethod
    def open(path: str, writable: bool = False) -> Store: ...
    def open_array(self, path: str) -> Array: ...
    def list(
        self, path: str = "/", depth: int = ...
    ) -> list[tuple[str, bool, str | None, str | None, tuple[int, ...] | None, tuple[int, ...] | None, str | None]]: ...
    def write_text(self, path: str, text: str) -> None: ...
    def consolidate(self) -> None: ...
    def commit(self) -> None: ...
    def close(self) -> None: ...

class Array:
    def info(self) -> dict[str, Any]: ...
    def fill(
        self,
        source: Source,
        jobs: int = 0,
        memory_bytes: int = 0,
        progress: Callable[[str, int, int, int], Any] | None = None,
    ) -> None: ...
    def read(
        self,
        start: Sequence[int],
        shape: Sequence[int],
        buffer: Buffer,
        jobs: int = 0,
        memory_bytes: int = 0,
        progress: Callable[[str, int, int, int], Any] | None = None,
    ) -> None: ...
    def read_strings(self, start: Sequence[int], shape: Sequence[int]) -> list[str]: ...
    def append(
        self,
        buffer: Buffer,
        n_rows: int,
        jobs: int = 0,
        memory_bytes: int = 0,
        progress: Callable[[str, int, int, int], Any] | None = None,
    ) -> None: ...
    def flush(
        self, jobs: int = 0, memory_bytes: int = 0, progress: Callable[[str, int, int, int], Any] | None = None
    ) -> None: ...
    def close(self) -> None: ...

class Source:
    @property
    def shape(self) -> tuple[int, ...]: ...
    @property
    def type(self) -> str: ...
    @staticmethod
    def raw(
        path: str,
        type: str,
        shape: Sequence[int],
        offset_bytes: int = 0,
        channels: Sequence[int] | None = None,
        longer: bool = False,
    ) -> Source: ...
    @staticmethod
    def npy(path: str) -> Source: ...
    @staticmethod
    def hdf5(path: str, dataset: str) -> Source: ...
    @staticmethod
    def memory(buffer: Buffer, type: str, shape: Sequence[int]) -> Source: ...
    @staticmethod
    def callback(
        callback: Callable[[tuple[int, ...], tuple[int, ...], memoryview], int | None],
        type: str,
        shape: Sequence[int],
        natural_box: Sequence[int] | None = None,
        forward: bool = False,
    ) -> Source: ...
    @staticmethod
    def array(array: Array) -> Source: ...
    def close(self) -> None: ...

def jobs_resolve(number_of_jobs: float, /) -> int: ...
def default_codec() -> str: ...
def write(
    source: Source,
    path: str,
    metadata_json: str | None = None,
    metadata_name: str | None = None,
    fields: tuple[tuple[str, str, str], ...] = (),
    electrical: bool = False,
    rate: float = 0.0,
    starting_time: float = 0.0,
    timestamps: Source | None = None,
    source_name: str | None = None,
    chunks: Sequence[int] | None = None,
    shards: Sequence[int] | None = None,
    codec: str | None = None,
    reproducible: bool = False,
    jobs: int = 0,
    memory_bytes: int = 0,
    existing: str = "error",
    sync: bool = True,
    dry_run: bool = False,
    progress: Callable[[str, int, int, int], Any] | None = None,
) -> str: ...
