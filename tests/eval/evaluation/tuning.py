"""Tunes the embedding model to hear what is wanted of things (`planner.rules.learned.wanted`), with JAX.

To each matrix of the upper layers the product of two narrow ones is added, which are learned (low-rank
adaptation, Hu et al. 2021). The lower layers stay as they are: what comes out of them is computed once.
Less than half an hour on two cores.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from io import BytesIO
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
import optax
from contracts.intents import Intent
from e5.model import E5, MATRICES, Layer
from e5.wheel import QUERY

from evaluation.learning_wanted import Example

_FIRST = 6
"""The lowest layer that is tuned."""
_RANK = 32
_UNITS = 256
_EPOCHS = 8
_BATCH, _BATCHES_APART = 48, 20
"""Messages of about one length are learned from together, of so many batches at a time."""
_RATE = 1e-3
_WARM_STEPS = 100
_DROPPED = 0.1
_MOST_THINGS = 8
_MOST_PIECES = 96
_PADDED_TO = 8
_SEED = 0

Array = Any
Values = Mapping[str, Array]


class _Read(NamedTuple):
    """An example, as the layers that are tuned see it."""

    states: np.ndarray
    """(pieces, size)"""
    things: tuple[slice, ...]
    wanted: np.ndarray
    """(things, labels); NaN where nobody knows."""


class _Batch(NamedTuple):
    """Of the same number of examples, pieces and things, however many there are."""

    states: np.ndarray
    is_piece: np.ndarray
    shares: np.ndarray
    """(examples, things, pieces): what a piece has in the mean of a thing."""
    wanted: np.ndarray
    known: np.ndarray
    """(examples, things, labels): whether it is known what is wanted."""


def tuned(model: E5, examples: Sequence[Example], labels: Sequence[Intent], learned_from: str) -> bytes:
    """The file that `planner.rules.learned.wanted` reads."""
    random, key = np.random.default_rng(_SEED), jax.random.PRNGKey(_SEED)
    read = _read(model, examples, labels)
    learner = _Learner(model)
    values = learner.values(random, len(labels))
    steps = _EPOCHS * len(_batches(read, random))
    optimizer = _optimizer(steps)
    state = optimizer.init(values)

    def step(values: Values, state: Any, key: Array, batch: _Batch) -> tuple[Values, Any, Array]:
        loss, slopes = jax.value_and_grad(learner.loss)(values, key, batch)
        updates, state = optimizer.update(slopes, state, values)
        return optax.apply_updates(values, updates), state, loss

    step_fast = jax.jit(step)
    for epoch in range(_EPOCHS):
        losses = []
        for batch in _batches(read, random):
            key, own = jax.random.split(key)
            values, state, loss = step_fast(values, state, own, _joined(batch))
            losses.append(float(loss))
        print(f"wanted.npz, epoch {epoch + 1}: {np.mean(losses):.3f}", flush=True)
    return _packed(values, labels, learned_from)


def _optimizer(steps: int) -> optax.GradientTransformation:
    warm, cool = (
        optax.linear_schedule(0, _RATE, _WARM_STEPS),
        optax.linear_schedule(_RATE, 0, steps - _WARM_STEPS),
    )
    rate = optax.join_schedules([warm, cool], [_WARM_STEPS])
    of_layers = optax.chain(optax.clip_by_global_norm(1.0), optax.adamw(rate, b2=0.98, weight_decay=0.01))
    return optax.multi_transform(
        {"layers": of_layers, "units": optax.adam(rate)},
        lambda values: {name: "layers" if name[0].isdigit() else "units" for name in values},
    )


def _read(model: E5, examples: Sequence[Example], labels: Sequence[Intent]) -> list[_Read]:
    found = []
    for example in examples:
        pieces, spans = model.pieces_in([QUERY, *example.segments])
        states, _ = model.states([pieces[:_MOST_PIECES]], _FIRST)
        wanted = np.zeros((len(example.wanted), len(labels)), np.float32)
        for row, each in zip(wanted, example.wanted, strict=True):
            for intent, told in each.items():
                row[labels.index(intent)] = 1.0 if told else np.nan
        things = tuple(span for span in spans[2::2] if span.start < min(span.stop, len(states)))
        found.append(
            _Read(states.astype(np.float16), things[:_MOST_THINGS], wanted[: len(things)][:_MOST_THINGS])
        )
    return found


def _batches(read: Sequence[_Read], random: np.random.Generator) -> list[list[_Read]]:
    order, found = random.permutation(len(read)), []
    for start in range(0, len(order), _BATCH * _BATCHES_APART):
        near = sorted(order[start : start + _BATCH * _BATCHES_APART], key=lambda n: len(read[n].states))
        found += [[read[n] for n in near[at : at + _BATCH]] for at in range(0, len(near), _BATCH)]
    return [found[n] for n in random.permutation(len(found))]


def _joined(batch: Sequence[_Read]) -> _Batch:
    pieces = -(-max(len(each.states) for each in batch) // _PADDED_TO) * _PADDED_TO
    size, labels = batch[0].states.shape[1], batch[0].wanted.shape[1]
    joined = _Batch(
        np.zeros((_BATCH, pieces, size), np.float16),
        np.zeros((_BATCH, pieces), bool),
        np.zeros((_BATCH, _MOST_THINGS, pieces), np.float32),
        np.zeros((_BATCH, _MOST_THINGS, labels), np.float32),
        np.zeros((_BATCH, _MOST_THINGS, labels), np.float32),
    )
    joined.is_piece[:, 0] = True  # attention has to see something
    for n, each in enumerate(batch):
        joined.states[n, : len(each.states)] = each.states
        joined.is_piece[n, : len(each.states)] = True
        for thing, span in enumerate(each.things):
            joined.shares[n, thing, span] = 1 / (min(span.stop, len(each.states)) - span.start)
        joined.wanted[n, : len(each.wanted)] = np.nan_to_num(each.wanted)
        joined.known[n, : len(each.wanted)] = ~np.isnan(each.wanted)
    return joined


@dataclass(frozen=True)
class _Learner:
    """The layers that are tuned, as JAX sees them: the same sums as in `e5.model`."""

    model: E5

    def values(self, random: np.random.Generator, labels: int) -> Values:
        """What is learned, by the names that the file has: factors that change nothing yet, and a network."""

        def normal(*shape: int, spread: float) -> Array:
            return jnp.asarray(random.normal(0, spread, shape).astype(np.float32))

        values: dict[str, Array] = {}
        for n, layer in self._layers():
            for name in MATRICES:
                linear = getattr(layer, name)
                inputs, outputs = linear.matrix.shape
                values[f"{n}.{name}.down"] = normal(inputs, _RANK, spread=inputs**-0.5)
                values[f"{n}.{name}.up"] = jnp.zeros((_RANK, outputs))
                values[f"{n}.{name}.bias"] = jnp.asarray(linear.bias)
        values["units"] = normal(self.model.size, _UNITS, spread=0.2)
        values["units_bias"] = jnp.zeros(_UNITS)
        values["labels"] = normal(_UNITS, labels, spread=0.05)
        values["labels_bias"] = jnp.full(labels, -2.0)
        return values

    def loss(self, values: Values, key: Array, batch: _Batch) -> Array:
        of_input, of_layers, of_things = jax.random.split(key, 3)
        x = _dropped(of_input, batch.states.astype(jnp.float32))
        states = self._states(values, x, batch.is_piece, of_layers)
        things = _dropped(of_things, batch.shares @ states)
        units = jax.nn.relu(things @ values["units"] + values["units_bias"])
        odds = units @ values["labels"] + values["labels_bias"]
        lost = optax.sigmoid_binary_cross_entropy(odds, batch.wanted) * batch.known
        return lost.sum() / batch.known.sum() * batch.wanted.shape[-1]

    def _layers(self) -> Iterator[tuple[int, Layer]]:
        yield from ((n, layer) for n, layer in enumerate(self.model.layers) if n >= _FIRST)

    def _states(self, values: Values, x: Array, is_piece: Array, key: Array) -> Array:
        unseen = jnp.where(is_piece, 0.0, -1e9)[:, None, None, :]
        keys = iter(jax.random.split(key, 2 * len(self.model.layers)))
        for n, layer in self._layers():

            def through(name: str, y: Array, n: int = n, layer: Layer = layer) -> Array:
                down, up, bias = (values[f"{n}.{name}.{each}"] for each in ("down", "up", "bias"))
                return y @ getattr(layer, name).matrix + (y @ down) @ up + bias

            many, pieces, size = x.shape
            seen = through("seen", x).reshape(many, pieces, 3, layer.heads, -1).transpose(2, 0, 3, 1, 4)
            scores = jnp.einsum("nhqd,nhkd->nhqk", seen[0], seen[1]) * (size / layer.heads) ** -0.5
            found = jnp.einsum("nhqk,nhkd->nhqd", jax.nn.softmax(scores + unseen, -1), seen[2])
            found = through("out", found.transpose(0, 2, 1, 3).reshape(many, pieces, size))
            x = self._normed(x + _dropped(next(keys), found), layer.norm)
            wide = jax.nn.gelu(through("wide", x), approximate=True)
            x = self._normed(x + _dropped(next(keys), through("narrow", wide)), layer.last_norm)
        return x

    def _normed(self, x: Array, norm: tuple[Array, Array]) -> Array:
        centred = x - x.mean(-1, keepdims=True)
        spread = (centred * centred).mean(-1, keepdims=True)
        return centred * jax.lax.rsqrt(spread + self.model.epsilon) * norm[0] + norm[1]


def _dropped(key: Array, x: Array) -> Array:
    return x * jax.random.bernoulli(key, 1 - _DROPPED, x.shape) / (1 - _DROPPED)


def _packed(values: Values, labels: Sequence[Intent], learned_from: str) -> bytes:
    file = BytesIO()
    arrays: dict[str, Any] = {name: np.asarray(each).astype(np.float16) for name, each in values.items()}
    np.savez_compressed(file, names=np.array(labels), learned_from=np.array(learned_from), **arrays)
    return file.getvalue()
