"""How well questions are answered from documents: real texts, questions with the sentences that answer them.

    make eval-documents CORPUS=<folder>

`questions` reads them, `corpus` makes an index of the folder's texts, `finding` measures how they are found,
beside simpler ways to find them, `quoting` what is answered, `__main__` prints. Of the held half nobody sees
more than figures. No text of a corpus is kept here: a sentence is known by its place in its article.
"""
