"""Plays the conversations and prints the table; of the seen half also what was not accepted."""

from argparse import ArgumentParser
from collections.abc import Sequence

from evaluation.conversations import HELD, SEEN, STRANGERS, Conversation, conversations
from evaluation.figures import rows_of, table
from evaluation.playing import Planner, Played, planners, play


def main() -> None:
    parser = ArgumentParser(prog="evaluation", description=__doc__)
    parser.add_argument("--show", action="store_true", help="list the turns that were not accepted")
    parser.add_argument("--kind", action="append", help="only conversations of that kind, seen half only")
    parser.add_argument("--conversation", type=int, help="only the one with that number, all of its turns")
    options = parser.parse_args()
    seen = [each for each in conversations(SEEN) if _is_wanted(each, options.kind, options.conversation)]
    played = {planner: play(seen, planner) for planner in planners()}
    if options.show or options.conversation:
        for planner, turns in played.items():
            print("\n".join(_lines(planner, turns, everything=options.conversation is not None)))
    rows = rows_of("seen half", played, by_kind=True)
    if not options.kind and not options.conversation:
        held = conversations(HELD)
        rows += rows_of("held half", {p: play(held, p) for p in planners()}, by_kind=False) if held else []
        strangers = conversations(STRANGERS)
        rows += rows_of("strangers", {p: play(strangers, p) for p in planners()}, by_kind=False)
    print(table(rows))


def _is_wanted(each: Conversation, kinds: list[str] | None, number: int | None) -> bool:
    return (not kinds or each.kind in kinds) and number in (None, each.number)


def _lines(planner: Planner, played: Sequence[Played], *, everything: bool) -> list[str]:
    lines: list[str] = []
    for each in played:
        if each.accepted and not everything:
            continue
        of = each.conversation
        place = of.turns.index(each.turn) + 1
        sign = "ok " if each.accepted else "-- "
        lines.append(f"{sign}{planner} {of.kind} {of.number}.{place}: {each.turn.say}")
        wanted = (" + ".join(map(str, outcome)) for outcome in each.turn.accept)
        lines.append(f"     accepted: {'  or  '.join(wanted)}")
        lines.append(f"     happened: {' + '.join(map(str, each.happened)) or 'nothing'}")
    return lines


if __name__ == "__main__":
    main()
