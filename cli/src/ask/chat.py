"""`ask chat`: a sentence and its answer, or a conversation."""

import sys
from collections.abc import Callable, Sequence
from contextlib import suppress
from io import StringIO
from typing import Literal

import ask_sogis
import typer
from ask_sogis import ChatResponse, Client, Event, Finished
from contracts.chat import Choice
from contracts.status import Status
from contracts.urls import without_password
from prompt_toolkit import PromptSession
from prompt_toolkit.application import Application
from prompt_toolkit.input import Input
from prompt_toolkit.key_binding import KeyBindings
from prompt_toolkit.key_binding.key_processor import KeyPressEvent
from prompt_toolkit.output import Output
from prompt_toolkit.shortcuts.choice_input import ChoiceInput
from rich.console import Console
from rich.text import Text

from ask.edge import told
from ask.errors import AskError, Exit
from ask.rendering import choice_text, show_response
from ask.texts import text

_ENDS = {
    Status.OK: Exit.DONE,
    Status.NEEDS_USER_CHOICE: Exit.UNDECIDED,
    Status.NEEDS_CLARIFICATION: Exit.UNDECIDED,
    Status.ERROR: Exit.FAILED,
}

Form = Literal["text", "json", "lines"]
Pick = Callable[[Sequence[Choice]], str | None]
"""Lets the user choose: an id, or None when the question stays open."""


def pick(choices: Sequence[Choice]) -> str | None:
    """Ask on the terminal: a digit chooses at once, arrows and Enter do too."""
    return picker(choices).prompt()


def picker(choices: Sequence[Choice]) -> ChoiceInput[str | None]:
    keys = KeyBindings()
    for number, choice in enumerate(choices[:9], 1):

        @keys.add(str(number), eager=True)
        def _(event: KeyPressEvent, choice_id: str = choice.id) -> None:
            event.app.exit(result=choice_id)

    @keys.add("c-c", eager=True)
    @keys.add("<sigint>", eager=True)
    def _(event: KeyPressEvent) -> None:
        event.app.exit(result=None)

    return _Picker(
        message=text("pick"),
        options=[(choice.id, choice_text(choice)) for choice in choices],
        bottom_toolbar=text("pick_help"),
        key_bindings=keys,
    )


class _Picker(ChoiceInput[str | None]):
    """Vanishes when the choice is made; what was chosen is said in a line."""

    def _create_application(self) -> Application[str | None]:
        application = super()._create_application()
        application.erase_when_done = True
        return application


class Chat:
    """One conversation. Without `pick` choices are only shown."""

    def __init__(self, client: Client, console: Console, pick: Pick | None) -> None:
        self._client = client
        self._console = console
        self._pick = pick

    def say(self, message: str | None, choice_id: str | None = None) -> Exit:
        """Send, show, and settle choices with the user. Raises `AskError`."""
        response = self._send(message, choice_id)
        asked: set[str] = set()
        waiting: list[tuple[Choice, ...]] = []
        base_url = without_password(self._client.url)
        while True:
            show_response(self._console, response, options=self._pick is None, base_url=base_url)
            waiting += [step.choices for step in response.steps if step.choices]
            # An answer may repeat a question that is still open.
            waiting = [choices for choices in waiting if choices[0].id not in asked]
            if self._pick is None or not waiting:
                return _ENDS[response.overall_status]
            choices = waiting.pop(0)
            asked.add(choices[0].id)
            chosen = self._pick(choices)
            if chosen is None:
                self._console.print(text("left_open"))
                return Exit.UNDECIDED
            label = next(choice_text(choice) for choice in choices if choice.id == chosen)
            self._console.print(Text(text("picked", label=label)))
            response = self._send(None, chosen)

    def _send(self, message: str | None, choice_id: str | None) -> ChatResponse:
        with self._console.status(text("waiting")), told(self._client):
            return _answer(self._client, message, choice_id)

    def converse(self, source: Input | None = None, sink: Output | None = None) -> None:
        """Until Ctrl-D. A failure is shown, the conversation goes on."""
        prompt: PromptSession[str] = PromptSession(input=source, output=sink)
        self._console.print(text("intro"))
        while True:
            try:
                message = prompt.prompt(text("prompt")).strip()
            except KeyboardInterrupt:
                continue
            except EOFError:
                break
            if not message:
                continue
            try:
                self.say(message)
            except KeyboardInterrupt:
                continue
            except AskError as error:
                self._console.print(str(error), style="red", markup=False)
        self._console.print(text("goodbye"))


def run(client: Client, *, message: str | None, choice_id: str | None, form: Form) -> Exit:
    """Raises `AskError`."""
    # None where it is closed.
    stdin = sys.stdin or StringIO()
    at_terminal = stdin.isatty() and sys.stdout.isatty()
    if message is None and choice_id is None and not stdin.isatty():
        message = stdin.read().strip() or None
    chat = Chat(client, Console(highlight=False), pick if at_terminal else None)
    if message is None and choice_id is None:
        if not at_terminal or form != "text":
            raise AskError(text("nothing_said", example=text("example")), Exit.MISUSED)
        chat.converse()
        return Exit.DONE
    if form == "text":
        return chat.say(message, choice_id)
    with told(client):
        response = _answer(client, message, choice_id, as_lines=form == "lines")
        if form == "json":
            typer.echo(response.document)
    return _ENDS[response.overall_status]


def _answer(
    client: Client, message: str | None, choice_id: str | None, *, as_lines: bool = False
) -> ChatResponse:
    """As `as_lines` each event is printed when it happens. Ctrl-C ends the turn too: it would go on."""
    event: Event | None = None
    try:
        for event in client.stream(message, choice=choice_id):
            if as_lines:
                typer.echo(event.document)
    except KeyboardInterrupt:
        if event is not None:
            with suppress(ask_sogis.AskError):
                client.cancel(event.request_id)
        raise
    assert isinstance(event, Finished)
    return event.response
