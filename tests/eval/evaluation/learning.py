"""Learns from conversations: makes the models in `planner/rules/data`.

Each turn is planned in its conversation, as the system is now. What it had in view is what the model of
intents looks at; its intents are those of the plan if what happened is accepted, else those of the first
outcome that is. How a conversation goes on depends on the model as it is, so learning once more may give
another file.
"""

import hashlib
import sys
import tomllib
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from importlib.resources import files
from itertools import chain
from multiprocessing import get_context
from pathlib import Path

from answering.questions import FOLDER as DOCUMENTS
from answering.questions import SEEN as QUESTIONS
from answering.questions import questions
from contracts.intents import OF_LOADED_LAYERS, SPECS, Intent
from contracts.languages import LANGUAGES, language_of
from contracts.messages import PlanRequested
from contracts.plan import Plan, PlanStep
from contracts.tools import ToolDescriptor
from contracts.vocabulary import Example as Sentence
from e5.model import E5
from solothurn import VOCABULARY

from evaluation import learning_layers, learning_on_map, learning_wanted
from evaluation.conversations import LEARNED, NAMED, ON_MAP, OTHERS, SEEN, Conversation, Turn, conversations
from evaluation.fitting import Example, Size, fitted
from evaluation.network import trained
from evaluation.outcomes import INTENTS, Fact, Outcome, parsed
from evaluation.playing import PROCESSES, Played, play_here
from planner.planning import Planned
from planner.rules import RulesPlanner, in_view
from planner.rules.learned.features import View
from planner.rules.learned.model import TALK, is_intent
from planner.rules.learned.on_map import OnMap
from planner.rules.learned.sense import embedding_model, sense_of

CONVERSATIONS = (SEEN, OTHERS, LEARNED)
FOLDERS = (*CONVERSATIONS, ON_MAP, DOCUMENTS / QUESTIONS)
OF_THINGS = (*CONVERSATIONS, NAMED)
_MODELS = Path(__file__).parents[3] / "services/planner/src/planner/rules/data"
_SAID = {
    "greeting": "greeting",
    "welcome": "welcome",
    "goodbye": "goodbye",
    "abilities": "abilities",
    "never_mind": "never_mind",
    "left_alone": "left_alone",
    "loaded_layers": "loaded",
    "seen_and_hidden": "loaded",
    "hidden_layers": "loaded",
    "no_layers_loaded": "loaded",
    "nothing_yet": "summary",
}
"""What is said by a sentence of the catalogue."""
_LAYERS = ("Gewässerschutz", "Karst", "Geotope", "Naturreservate", "Hydranten Wasser")
_PLAIN, _TIMES = "again_", 3
"""Conversations of these kinds count so many times: of plain ones few are learned from."""
_OF_INTENTS = Size(min_examples=5, min_uses=5, units=512, epochs=30, caution=0.8)
_OF_LAYERS = Size(min_examples=1, min_uses=2, most_weights=100_000)
_OF_LAYERS_ON_MAP = Size(min_examples=1, min_uses=4)


class _Listening(RulesPlanner):
    """Keeps what each turn had in view and what became of it."""

    def __init__(self) -> None:
        self.heard: dict[str, tuple[View, OnMap, Plan]] = {}

    async def plan(self, request: PlanRequested, tools: tuple[ToolDescriptor, ...]) -> Planned:
        planned = await super().plan(request, tools)
        self.heard[request.request_id] = *in_view(request, tools), planned.plan
        return planned


def examples() -> tuple[list[Example], list[Example]]:
    """Of all conversations of the map: of intents where they are known, and of layers that are on the map."""
    found = [*_of_map(*CONVERSATIONS, ON_MAP), *_asked_of_documents(), *_declared()]
    intents, of_map = _heard(found)
    return sorted(intents, key=_order), sorted(of_map, key=_order)


def _of_map(*folders: Path) -> list[Conversation]:
    return [each for folder in folders for each in conversations(folder) if each.agent == "map"]


def _heard(found: Sequence[Conversation]) -> tuple[list[Example], list[Example]]:
    shares = [found[n::PROCESSES] for n in range(PROCESSES)]
    with ProcessPoolExecutor(PROCESSES, mp_context=get_context("spawn")) as pool:
        intents, of_map = zip(*pool.map(_listened, shares), strict=True)
    return [*chain(*intents)], [*chain(*of_map)]


def _asked_of_documents() -> Iterator[Conversation]:
    """Questions as citizens ask them, each by itself."""
    asked = [each for language in LANGUAGES for each in questions(QUESTIONS, language)]
    for number, each in enumerate(asked, 1):
        turn = Turn(each.text, (parsed("documents"),))
        yield Conversation("citizens", number, language_of(each.language) or "de", "map", (turn,))


def _declared() -> Iterator[Conversation]:
    """The sentences that intents are declared with, where a layer is loaded."""
    kinds: dict[str, str] = {intent: kind for kind, intent in INTENTS.items()}
    kinds[Intent.GOTO_ADDRESS] = "view"
    said = [
        (layer, language, kinds[spec.intent], example.sentence(language))
        for spec in SPECS
        if spec.example and spec.intent in kinds
        for layer, example in _examples(spec.intent)
        for language in LANGUAGES
    ]
    for number, (layer, language, kind, sentence) in enumerate(said, 1):
        turns = (Turn(layer, (parsed(f"load {layer}"),)), Turn(sentence, ((Fact(kind),),)))
        yield Conversation("declared", number, language, "map", turns)


def _examples(intent: str) -> Iterator[tuple[str, Sentence]]:
    """Each with a layer to be loaded before; about which it is where it is about one."""
    if intent in OF_LOADED_LAYERS | {Intent.ZOOM_TO_LAYER}:
        yield from ((layer, Sentence(intent=intent, subject=layer)) for layer in _LAYERS)
        return
    named = [example for example in VOCABULARY.examples if example.intent == intent]
    yield from ((_LAYERS[0], example) for example in named or [Sentence(intent=intent)])


def _order(example: Example) -> tuple[list[str], list[str], list[float]]:
    sense = [] if example.sense is None else example.sense.tolist()
    return sorted(example.features), sorted(example.labels), sense


def _listened(share: Sequence[Conversation]) -> tuple[list[Example], list[Example]]:
    found: list[Example] = []
    of_map: list[Example] = []
    planner = _Listening()
    for played in play_here(share, planner):
        turn = played.conversation.turns.index(played.turn)
        known = planner.heard.get(played.conversation.request_id(turn))
        if known is None:
            continue
        view, on_map, plan = known
        of_map += learning_on_map.examples(on_map, played.turn.accept)
        if labels := _labels(played, plan):
            example = Example(view.features, labels, sense_of(view.text))
            found += [example] * (_TIMES if played.conversation.kind.startswith(_PLAIN) else 1)
    return found, of_map


def _labels(played: Played, plan: Plan) -> frozenset[str] | None:
    """None where it is not known what is wanted: an option of a choice, or what one has to ask about."""
    if plan.choice_id is not None:
        return None
    if played.accepted:
        return frozenset(label for step in plan.steps for label in _labels_of(step))
    first, *others = played.turn.accept
    told = next((each for each in others if not _chooses(each)), None) if _chooses(first) else first
    if told is None or any(fact.kind == "ask" and fact.words for fact in told):
        return None
    return frozenset(INTENTS[fact.kind] for fact in told)


def _chooses(outcome: Outcome) -> bool:
    return any(fact.kind == "choose" for fact in outcome)


def _labels_of(step: PlanStep) -> tuple[str, ...]:
    if step.intent == Intent.GOTO_ADDRESS:
        return (Intent.SEARCH_PLACE,)
    if step.intent != Intent.ANSWER:
        return (step.intent,)
    begun = (said for begin, said in _BEGINNINGS if (step.message or "").startswith(begin))
    said = "summary" if step.respond else next(begun, "")
    return (Intent.ANSWER, f"{TALK}{said}") if said else (Intent.ANSWER,)


def _beginnings() -> Iterator[tuple[str, str]]:
    """How the sentences of the catalogue begin that say one of these things, in every language."""
    catalogue = tomllib.loads(files("planner").joinpath("texts.toml").read_text(encoding="utf-8"))
    for key, said in _SAID.items():
        for sentence in catalogue[key].values():
            yield sentence.partition("{")[0].strip(), said


_BEGINNINGS = tuple(_beginnings())


def digest(folders: Iterable[Path]) -> str:
    """Of all conversations in some folders: tells whether a model was learned from them."""
    every = hashlib.sha256()
    for folder in folders:
        for path in sorted((*folder.glob("*.toml"), *folder.glob("*.jsonl"))):
            every.update(path.read_bytes())
    return every.hexdigest()[:16]


def _tells_of(label: str, example: Example) -> bool:
    """What an answer says is told apart among answers only."""
    return is_intent(label) or any(each.startswith(TALK) for each in example.labels)


def main() -> None:
    """Makes all models, or those that are named."""
    named = frozenset(sys.argv[1:]) or frozenset(_MAKERS)
    if not named <= _MAKERS.keys():
        raise SystemExit(f"models are: {', '.join(_MAKERS)}")
    for make in dict.fromkeys(make for name, make in _MAKERS.items() if name in named):
        make()


def _make_wanted() -> None:
    from evaluation.tuning import tuned  # JAX: only here

    found = learning_wanted.examples(OF_THINGS)
    _write("wanted.npz", tuned(_embedding_model(), found, learning_wanted.LABELS, digest(OF_THINGS)))


def _make_layers() -> None:
    _embedding_model()
    layers = learning_layers.examples(CONVERSATIONS)
    _write("layers.bin", fitted(layers, _OF_LAYERS, origin_of_layers()))
    _write("layers-by-sense.bin", fitted(layers, _OF_LAYERS, origin_of_layers(), by_sense=True))


def _make_intents() -> None:
    _embedding_model()
    intents, on_map = examples()
    _write(
        "on-map.bin", trained(on_map, _OF_LAYERS_ON_MAP, digest(FOLDERS), tells_of=learning_on_map.tells_of)
    )
    _write("intents.bin", trained(intents, _OF_INTENTS, digest(FOLDERS), by_sense=True, tells_of=_tells_of))


_MAKERS = {
    "wanted.npz": _make_wanted,
    "layers.bin": _make_layers,
    "layers-by-sense.bin": _make_layers,
    "on-map.bin": _make_intents,
    "intents.bin": _make_intents,
}


def _embedding_model() -> E5:
    model = embedding_model()
    if model is None:
        raise SystemExit("this needs the weights of the embedding model (Linux on x86-64)")
    return model


def origin_of_layers() -> str:
    return f"{digest(CONVERSATIONS)} {learning_layers.digest()}"


def _write(name: str, model: bytes) -> None:
    (_MODELS / name).write_bytes(model)
    print(f"{name}: {len(model):,} bytes")


if __name__ == "__main__":
    main()
