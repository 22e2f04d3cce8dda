"""Write the stored chunks that other implementations make, for tests/unit/codec/golden_test.c.

    python make_codecs.py        # with zarr, zarrs and tensorstore; writes codecs.txt beside this file

A line a chunk, between tabs: writer, type, number of bytes of the piece, the "codecs" of its document, the piece and the
stored chunk in hexadecimal.  For text the number is that of elements, and the piece is their text with a NUL between
two.  Made with zarr 3.4.2 (numcodecs 0.17.1), zarrs 0.2.3 and tensorstore 0.1.86.
"""
import json
import pathlib
import tempfile

import numpy as np
import tensorstore
import zarr

HERE = pathlib.Path(__file__).parent
LITTLE = {"name": "bytes", "configuration": {"endian": "little"}}
BIG = {"name": "bytes", "configuration": {"endian": "big"}}
ONE = {"name": "bytes"}
CRC = {"name": "crc32c"}
TEXT = {"name": "vlen-utf8", "configuration": {}}


def blosc(cname, clevel, shuffle, typesize):
    settings = {"cname": cname, "clevel": clevel, "shuffle": shuffle, "typesize": typesize, "blocksize": 0}
    return {"name": "blosc", "configuration": settings}


def zstd(level, checksum):
    return {"name": "zstd", "configuration": {"level": level, "checksum": checksum}}


def gzip(level):
    return {"name": "gzip", "configuration": {"level": level}}


CASES = [
    ("int16", [LITTLE]), ("int16", [BIG]), ("float64", [BIG]), ("complex64", [BIG]), ("uint8", [ONE]), ("bool", [ONE]),
    ("int16", [LITTLE, zstd(0, False)]), ("int16", [LITTLE, zstd(-5, True)]), ("int16", [BIG, zstd(9, True)]),
    ("int16", [LITTLE, gzip(0)]), ("int16", [LITTLE, gzip(5)]), ("float32", [LITTLE, gzip(9), CRC]),
    ("int16", [LITTLE, CRC]), ("uint8", [ONE, CRC, zstd(1, False), CRC]),
    ("int16", [LITTLE, blosc("lz4", 5, "shuffle", 2)]), ("int16", [LITTLE, blosc("lz4hc", 9, "bitshuffle", 2)]),
    ("float32", [LITTLE, blosc("blosclz", 1, "noshuffle", 4)]), ("float64", [LITTLE, blosc("zlib", 5, "shuffle", 8)]),
    ("int16", [LITTLE, blosc("zstd", 1, "bitshuffle", 2)]), ("uint8", [ONE, blosc("zstd", 5, "bitshuffle", 1)]),
    ("int16", [LITTLE, blosc("zstd", 0, "shuffle", 2)]), ("complex64", [LITTLE, blosc("lz4", 5, "shuffle", 8), CRC]),
    ("string", [TEXT]), ("string", [TEXT, zstd(0, False)]), ("string", [TEXT, gzip(5), CRC]),
]
WORDS = ["", "CA1", "\u00e9\U0001f42d", "a b", "x" * 300, "", "last"]


def values(dtype):
    if dtype == "string":
        return np.array(WORDS, dtype=np.dtypes.StringDType())
    wave = np.round(60 * np.sin(np.arange(96) / 7)) + np.arange(96) % 5
    if dtype == "bool":
        return wave > 0
    return (wave % 251).astype(dtype) if dtype == "uint8" else (wave + 0.25).astype(dtype)


def write_zarr(folder, dtype, codecs, data):
    kinds = {"bytes": zarr.codecs.BytesCodec, "vlen-utf8": zarr.codecs.VLenUTF8Codec, "zstd": zarr.codecs.ZstdCodec,
             "gzip": zarr.codecs.GzipCodec, "blosc": zarr.codecs.BloscCodec, "crc32c": zarr.codecs.Crc32cCodec}
    serializer, *compressors = [kinds[c["name"]].from_dict(c) for c in codecs]
    array = zarr.create_array(folder, shape=data.shape, chunks=data.shape, dtype=dtype, serializer=serializer,
                              compressors=compressors)
    array[...] = data


def write_zarrs(folder, dtype, codecs, data):
    with zarr.config.set({"codec_pipeline.path": "zarrs.ZarrsCodecPipeline"}):
        write_zarr(folder, dtype, codecs, data)


def write_tensorstore(folder, dtype, codecs, data):
    spec = {"driver": "zarr3", "kvstore": {"driver": "file", "path": folder},
            "metadata": {"shape": list(data.shape), "data_type": dtype, "codecs": codecs,
                         "chunk_grid": {"name": "regular", "configuration": {"chunk_shape": list(data.shape)}}}}
    tensorstore.open(spec, create=True).result().write(data).result()


with open(HERE / "codecs.txt", "w") as out:
    for name, write in ("zarr-python", write_zarr), ("zarrs", write_zarrs), ("tensorstore", write_tensorstore):
        for dtype, codecs in CASES:
            data = values(dtype)
            if dtype == "string" and name == "tensorstore":
                continue  # it has no such type
            with tempfile.TemporaryDirectory() as folder:
                folder = folder + "/a"
                write(folder, dtype, codecs, data)
                document = json.loads(pathlib.Path(folder, "zarr.json").read_text())
                stored = pathlib.Path(folder, "c", "0").read_bytes()
            size, piece = (len(data), "\0".join(data).encode()) if dtype == "string" else (data.nbytes, data.tobytes())
            codecs = json.dumps(document["codecs"], separators=(",", ":"))
            print(name, dtype, size, codecs, piece.hex(), stored.hex(), sep="\t", file=out)
