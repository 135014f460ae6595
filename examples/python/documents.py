"""A question that is answered from documents, and from nothing else."""

from ask_sogis import Client

with Client() as client:
    answer = client.documents("Wie viel Trinkwasser verbraucht eine Person pro Tag?")
    print(answer.markdown)
    if answer.is_supported:
        for source in answer.sources:
            print(f"[{source.n}] {source.name}, {source.url}")
    else:
        for question in answer.suggestions:
            print(f"Try: {question}")
