"""Make the seeds of the fuzz targets zarr_metadata and zarr_piece:   python fuzz/corpus/make_zarr.py   (needs zarr)"""
import pathlib
import struct
import tempfile

import numpy as np
import zarr

HERE = pathlib.Path(__file__).resolve().parent


def documents(folder):
    """Documents as zarr-python writes them, and a consolidated root."""
    root = zarr.open_group(folder / "root", mode="w", zarr_format=3)
    root.attrs["x"] = [1, 2.5, None, "t"]
    for kind, fill in [("bool", True), ("int16", -1), ("uint64", 2**64 - 1), ("float32", float("nan")), ("complex64", 1 - 2j), ("string", "f")]:
        root.create_array(f"a/{kind}", shape=(5, 6), chunks=(2, 2), dtype=kind, fill_value=fill)
    root.create_array("sharded", shape=(5, 6), chunks=(2, 2), shards=(4, 4), dtype="int16", dimension_names=["a", None])
    root.create_array("scalar", shape=(), dtype="float64", chunk_key_encoding={"name": "v2", "separator": "."})
    zarr.consolidate_metadata(folder / "root")
    return {path.parent.name: path.read_bytes() for path in sorted((folder / "root").rglob("zarr.json"))}


def pieces():
    """Objects for the arrays of zarr_piece.c, in its order."""
    none = 2**64 - 1
    chunk = np.arange(4, dtype="<i2").tobytes()
    text = struct.pack("<I", 4) + b"".join(struct.pack("<I", len(t)) + t for t in (b"a", b"", b"bc", b"\xc3\xa4"))
    yield chunk + struct.pack("<8Q", 0, 8, none, none, none, none, none, none)
    yield struct.pack("<8Q", 64, 8, none, none, none, none, none, none) + chunk
    yield chunk + struct.pack("<8Q", none, none, none, none, 0, 8, none, none)
    yield chunk + struct.pack("<8Q", 0, 8, 0, 8, 0, 8, 0, 8) + bytes(4)
    yield text + struct.pack("<8Q", 0, len(text), 0, len(text), none, none, none, none)
    yield struct.pack("<8Q", 64, len(text), none, none, none, none, none, none) + text
    yield np.arange(16, dtype="<i2").tobytes()
    yield struct.pack("<I", 16) + b"".join(struct.pack("<I", i) + b"x" * i for i in range(16))


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        for name, text in documents(pathlib.Path(folder)).items():
            (HERE / "zarr_metadata" / name).write_bytes(text)
    for i, piece in enumerate(pieces()):
        (HERE / "zarr_piece" / str(i)).write_bytes(bytes([i]) + piece)
