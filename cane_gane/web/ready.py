"""Computes what answers need once, before the first client asks."""

from __future__ import annotations

from cane_gane.progress import say
from cane_gane.serving.answers import Answers, text_side


def make_ready(answers: Answers) -> None:
    """Asks a question of each kind: indexes are built or read, functions are traced.

    Slow results are kept in the run's folder, so that the next start is faster.
    """
    say("preparing answers (the first time takes longer) …")
    answers.recommend(0, top=1)
    answers.explain(0, 0)
    if answers.reads_texts:
        text = "a text of some words"
        answers.search(text, 1)
        answers.recommend(text=text, top=1)
        answers.explain(text_side(text), 0)
