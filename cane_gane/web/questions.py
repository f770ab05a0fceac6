"""The questions that a run answers over HTTP: from JSON to JSON."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from cane_gane.errors import InputError
from cane_gane.serving.answers import Answers, Suggestion
from cane_gane.web.fields import Fields
from cane_gane.web.refusals import RequestError

MOST_QUESTIONS = 100  # of a batch
MOST_ROWS = 1000  # nodes or texts of one question

# A question is first checked, which returns the job that answers it.
Job = Callable[[], Any]
Question = Callable[[Answers, Fields], Job]


def score(answers: Answers, asked: Fields) -> Job:
    """Scores `source` and `target`, nodes or texts; or `pairs` of nodes at once."""
    if "pairs" in asked:
        pairs = asked.pairs("pairs", MOST_ROWS)
        return lambda: {"scores": [_scored(*own) for own in answers.scores(pairs)]}
    source, target = asked.side("source"), asked.side("target")

    def job() -> Any:
        if isinstance(source, int) and isinstance(target, int):
            return _scored(*answers.scores([(source, target)])[0])
        found = answers.explain(source, target)
        return _scored(found.score, found.probability)

    return job


def recommend(answers: Answers, asked: Fields) -> Job:
    """Finds missing edges of `node`, or of a new node: `text`, optionally `links`."""
    node = asked.node("node") if "node" in asked else None
    text = asked.text("text") if "text" in asked else None
    links = asked.nodes("links", MOST_ROWS) if "links" in asked else []
    top = asked.top()
    if (node is None) == (text is None):
        found = "neither 'node' nor 'text'" if node is None else "'node' and 'text'"
        raise RequestError(400, f"found {found}; expected one of the two")
    if links and text is None:
        raise RequestError(
            400, "found 'links' of a known node; expected them with 'text'"
        )
    return lambda: _suggestions(
        answers.recommend(node, text=text, links=links, top=top)
    )


def search(answers: Answers, asked: Fields) -> Job:
    """Finds the nodes most like `text`."""
    text, top = asked.text("text"), asked.top()
    return lambda: _suggestions(answers.search(text, top))


def explain(answers: Answers, asked: Fields) -> Job:
    """Explains the score of `source` and `target`: nodes or texts."""
    source, target = asked.side("source"), asked.side("target")
    return lambda: answers.explain(source, target).as_json()


def embed(answers: Answers, asked: Fields) -> Job:
    """Returns the vectors of `nodes` or of `texts`."""
    nodes = asked.nodes("nodes", MOST_ROWS) if "nodes" in asked else None
    texts = asked.texts("texts", MOST_ROWS) if "texts" in asked else None
    if (nodes is None) == (texts is None):
        found = "neither 'nodes' nor 'texts'" if nodes is None else "both"
        raise RequestError(400, f"found {found}; expected 'nodes' or 'texts'")
    return lambda: {"vectors": _rows(answers.embed(nodes=nodes, texts=texts))}


QUESTIONS: Mapping[str, Question] = {
    "score": score,
    "recommend": recommend,
    "search": search,
    "explain": explain,
    "embed": embed,
}


def respond(question: Question, answers: Answers, body: bytes) -> Any:
    """Answers a question, or a batch of them.

    All questions of a batch are checked before the first is answered.

    Args:
        question: The kind of question.
        answers: The answers of a run.
        body: JSON: the fields of a question, or a list of such objects.

    Returns:
        The answer as JSON values, or a list of answers in the same order.

    Raises:
        RequestError: The body is not such JSON, or a question cannot be answered.
    """
    content = _parsed(body)
    if not isinstance(content, list):
        return _answered(_checked(question, answers, content))
    if len(content) > MOST_QUESTIONS:
        raise RequestError(
            413,
            f"found a batch of {len(content):,} questions; expected "
            f"{MOST_QUESTIONS} at most",
        )
    jobs = []
    for number, own in enumerate(content):
        try:
            jobs.append(_checked(question, answers, own))
        except RequestError as refusal:
            message = f"question {number}: {refusal.message}"
            raise RequestError(refusal.status, message) from None
    return list(map(_answered, jobs))


def _parsed(body: bytes) -> Any:
    try:
        return json.loads(body)
    except RecursionError:
        raise RequestError(
            400, "found JSON that is nested too deeply; expected fields"
        ) from None
    except ValueError as error:
        raise RequestError(400, f"found no JSON ({error}); expected fields") from None


def _checked(question: Question, answers: Answers, content: Any) -> Job:
    asked = Fields(answers, content)
    job = question(answers, asked)
    asked.close()
    return job


def _answered(job: Job) -> Any:
    try:
        return job()
    except InputError as error:
        raise RequestError(400, str(error)) from None


def _scored(score: float, probability: float | None) -> Any:
    return {"score": score, "probability": probability}


def _suggestions(found: Sequence[Suggestion]) -> Any:
    return {"suggestions": [own.as_json() for own in found]}


def _rows(vectors: Any) -> list[list[float] | None]:
    """Returns rows as lists; None for a row that is not a vector."""
    return [
        own.tolist() if np.isfinite(own).all() else None
        for own in np.asarray(vectors, np.float64).round(6)
    ]
