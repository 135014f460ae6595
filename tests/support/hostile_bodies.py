"""Bodies that cost more than they weigh: shapes, and sizes for them."""

from collections.abc import Iterable

from hypothesis import strategies as st

RUN = '{"threadId":"t","runId":"r"'
ASKED = f'{RUN},"messages":[{{"id":"1","role":"user","content":"x"}}]'
CHAT = '{"sessionId":"s","userMessage":"x"'
VIEW = '"map":{"center":[1,2],"extent":[1,2,3,4],"scale":1'
"""The beginning of a map."""

UNITS = (
    "{}", "[]", "0", "1e9", '""', '"ü"', "null", "[[]]", '{"":{}}', '{"a":0,"a":0}', '"\\u00fc"', "1e999",
    '{"id":"1","role":"user","content":"x"}', '{"id":"1","role":"user","content":[{}]}', '{"role":"x"}',
    '{"id":"1","role":"assistant","toolCalls":[{}]}', '{"type":"text","text":"x"}', '{"type":"image"}',
    '{"id":"a","label":"b"}', '{"type":"addLayer","status":"applied"}',
    '{"interruptId":"a.0","status":"cancelled"}', '{"id":"a","label":"b","opacity":0.5,"order":1}',
)  # fmt: skip
"""What is repeated. Most of it is wrong wherever it stands."""
PLACES = (
    ("[", "]"),
    (f'{CHAT},"mapLayers":[', "]}"),
    (f'{CHAT},"mapResults":[', "]}"),
    (f'{CHAT},"nothing":[', "]}"),
    (f'{RUN},"messages":[', "]}"),
    (f'{RUN},"messages":[{{"id":"1","role":"user","content":[', "]}]}"),
    (f'{RUN},"messages":[{{"id":"1","role":"assistant","toolCalls":[', "]}]}"),
    (f'{ASKED},"tools":[', "]}"),
    (f'{ASKED},"context":[', "]}"),
    (f'{ASKED},"resume":[', "]}"),
    (f'{ASKED},"state":[', "]}"),
    (f'{ASKED},"state":{{"layers":[', "]}}"),
    (f'{ASKED},"forwardedProps":[', "]}"),
    (f'{CHAT},{VIEW},"layers":[', "]}}"),
    (f'{ASKED},"state":{{{VIEW},"layers":[', "]}}}"),
)
"""Where it stands."""


def repeated(unit: str, place: tuple[str, str], size_bytes: int, most: int | None = None) -> bytes:
    """A list with as many of a unit as the size allows, filled up with white space."""
    before, after = place
    weight = len(unit.encode()) + 1
    count = max(0, (size_bytes - len(before) - len(after)) // weight)
    count = count if most is None else min(count, most)
    return (before + ",".join([unit] * count) + after).encode().ljust(size_bytes)


def keys(size_bytes: int, place: tuple[str, str], value: str = "0") -> bytes:
    """One object with as many keys as fit in."""
    before, after = place
    count = size_bytes // (10 + len(value))
    return (before + ",".join(f'"{n:06x}":{value}' for n in range(count)) + after).encode()


def nested(depth: int, size_bytes: int, place: tuple[str, str], brackets: tuple[str, str]) -> bytes:
    """Towers of lists or objects, as many as fit in."""
    opening, closing = brackets
    return repeated(opening * depth + "0" + closing * depth, place, size_bytes)


def texts(size_bytes: int) -> Iterable[bytes]:
    """One long value."""
    for value in (
        '"' + "x" * size_bytes + '"',
        '"' + "\\n" * (size_bytes // 2) + '"',
        '"' + "\\u00fc" * (size_bytes // 6) + '"',
        '"' + "x" * (size_bytes - 8) + '😀"',
        "1" * size_bytes,
        "1." + "1" * size_bytes,
        '"' + "," * size_bytes + '"',
    ):
        for before in (f'{RUN},"messages":[],"state":', f'{ASKED},"state":', '{"sessionId":', '{"threadId":'):
            yield f"{before}{value}}}".encode()


def bodies(max_bytes: int) -> st.SearchStrategy[bytes]:
    """Any of them, of any size up to `max_bytes`."""
    sizes = st.integers(0, max_bytes) | st.just(max_bytes)
    places = st.sampled_from(PLACES)
    lists = st.builds(repeated, st.sampled_from(UNITS), places, sizes, st.none() | st.integers(0, 20_000))
    objects = st.builds(
        keys,
        sizes,
        st.sampled_from(((f"{CHAT},", "}"), (f"{ASKED},", "}"), ("{", "}"))),
        st.sampled_from(UNITS),
    )
    towers = st.builds(
        nested, st.integers(1, 300), sizes, places, st.sampled_from((("[", "]"), ('{"a":', "}")))
    )
    broken = st.builds(
        lambda unit, size: (unit * size)[:size], st.sampled_from([b"[", b'{"a":', b"\xff", b" "]), sizes
    )
    return lists | objects | towers | broken | sizes.flatmap(lambda size: st.sampled_from(list(texts(size))))
