"""A turn while it happens: what is done, the answer as it is written, map actions when it is their turn."""

from ask_sogis import Client, Delta, Finished, Progress, TurnEventKind

with Client() as client:
    for event in client.stream("Gehe nach Grenchen und suche Dokumente zum Thema Mehrwertabgabe"):
        for action in event.map_actions:
            print(f"apply {action.type}")
        match event:
            case Progress(kind=TurnEventKind.TOOL_CALLED):
                print(f"… {event.detail['capability']}")
            case Delta():
                print(event.text, end="")
            case Finished():
                print(f"\n{event.response.overall_status}")
