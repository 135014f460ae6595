"""A sentence becomes map actions."""

from ask_sogis import Client

with Client() as client:
    answer = client.chat("Gehe zur Langendorfstrasse 19b in Solothurn und lade den Gewässerschutzlayer")
    for step in answer.steps:
        print(f"{step.status}: {step.message}")
        for action in step.map_actions:
            print(f"  {action.type}")
    # The conversation goes on: "hier" is where the map is now.
    print(client.chat("Wie hoch liegt dieser Ort hier?").steps[0].message)
