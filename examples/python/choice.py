"""Several things are possible: the user chooses one."""

from ask_sogis import Client, Status

with Client() as client:
    answer = client.chat("Lade den ÖREB-Auszug an der Koordinate 2600513, 1215519")
    (step,) = answer.steps
    if step.status is Status.NEEDS_USER_CHOICE:
        print(step.message)
        for n, choice in enumerate(step.choices, start=1):
            print(f"  {n}. {choice.label}")
        answer = client.choose(step.choices[1])
    print(answer.steps[0].message.splitlines()[0])
