"""The iterator of the benchmark, in a module of its own: the worker processes of hdmf-zarr import it by name."""

from __future__ import annotations

from typing import Any

import numpy as np
from hdmf.data_utils import GenericDataChunkIterator


class Mapped(GenericDataChunkIterator):
    """Slices of a memmap, which worker processes can make anew."""

    def __init__(self, path: str, shape: tuple[int, ...], **options: Any):
        self.path, self.options = path, options
        self.data = np.memmap(path, dtype="<i2", mode="r", shape=shape)
        super().__init__(**options)

    def _get_data(self, selection: tuple[slice, ...]) -> np.ndarray:
        return self.data[selection]

    def _get_maxshape(self) -> tuple[int, ...]:
        return self.data.shape

    def _get_dtype(self) -> np.dtype:
        return self.data.dtype

    def _to_dict(self) -> dict[str, Any]:
        return {"path": self.path, "shape": self.data.shape, "options": self.options}

    @staticmethod
    def _from_dict(values: dict[str, Any]) -> Mapped:
        return Mapped(values["path"], values["shape"], **values["options"])
