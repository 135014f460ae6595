"""How well the copilot understands what people say: conversations, played on the real services, and figures.

    PYTHONPATH=$PYTHONPATH:tests/eval python -m evaluation [--show] [--kind corrections] [--conversation 3]

`conversations` reads them, `outcomes` is the notation of what is accepted, `happenings` says in its terms
what a response does, `playing` plays, `figures` counts. Of the held half nobody sees more than figures: what
is looked at while rules are written says nothing about sentences that nobody has looked at.
"""
