"""A model card in Markdown: what a model is, how it was made, how well it performs."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from cane_gane.evaluation.results import Evaluation
from cane_gane.evaluation.show import NOT_EVALUATED, percent, trust
from cane_gane.report.formats import markdown_table, markdown_text
from cane_gane.report.titles import method_title, predicts, protocol_title

_PAGE = """\
---
{front}
---

# {title}

{method} on the network {dataset}: it predicts which nodes of the network, each with a text, should be joined by an edge, and by which of their words.

## Use

`saved_model/` needs TensorFlow alone; `serving/` is the same for TensorFlow Serving.

```python
import tensorflow as tf

model = tf.saved_model.load("saved_model")
print(list(model.signatures))
```

A score orders pairs of nodes; it is no probability. The model knows the texts and the training edges of its own network, and the words that were in it then.

## Training

{settings}

## Figures

{figures}

## Limits

Edges that were known at training are what the model takes for edges: what is missing there for a reason looks like a missing edge to it. Texts and names of the network are in the SavedModel, readable. A SavedModel is a program: load one that you trust.
"""  # noqa: E501
_TAGS = ("link-prediction", "network-embedding", "optimal-transport", "tensorflow")
_MAIN = ("ratio", "seed", "split", "preset", "epochs", "dimension", "evidence")


def model_card(title: str, record: Mapping[str, Any] | None, found: Evaluation) -> str:
    """Returns the card.

    Args:
        title: The name of the run.
        record: config.json.
        found: The results.
    """
    record = record or {}
    settings = record.get("settings", {})
    method = method_title(str(settings.get("variant", ""))) or "vectors"
    dataset = str(settings.get("dataset", ""))
    rows = [(key, str(settings[key])) for key in _MAIN if key in settings]
    rows += [(key, str(own)) for key, own in record.get("versions", {}).items()]
    return _PAGE.format(
        front=_front(method, dataset, title, found),
        title=markdown_text(title),
        method=method,
        dataset=markdown_text(dataset),
        settings=markdown_table(("setting", "value"), rows),
        figures=_figures(found),
    )


def _front(method: str, dataset: str, title: str, found: Evaluation) -> str:
    """Returns the front matter: YAML whose strings are written as JSON."""
    lines = [
        "license: unknown",
        "library_name: keras",
        "pipeline_tag: graph-ml",
        f"tags: [{', '.join(_TAGS)}]",
        f"datasets: [{json.dumps(dataset)}]",
        "model-index:",
        f"- name: {json.dumps(title)}",
    ]
    metrics = [
        f"    - {{type: {key}, name: {key} ({name}), value: {value:.6g}}}"
        for name, own in found.link_prediction.items()
        for key in ("auc", "mrr", "hits_at_10")
        if (value := getattr(own, key)) is not None and predicts(name)
    ]
    if not metrics:
        return "\n".join([*lines, "  results: []"])
    lines += [
        "  results:",
        "  - task: {type: graph-ml, name: link prediction}",
        f"    dataset: {{type: {json.dumps(dataset)}, name: {json.dumps(dataset)}}}",
        "    metrics:",
    ]
    return "\n".join([*lines, *metrics])


def _figures(found: Evaluation) -> str:
    """Returns the figures as a table, or why there are none."""
    if not found.evaluated:
        return f"{NOT_EVALUATED[0].upper()}{NOT_EVALUATED[1:]}."
    rows = [
        (
            protocol_title(name),
            percent(own.auc, own.std_error) if own.auc is not None else "–",
            percent(own.mrr),
            percent(own.hits_at_10),
        )
        for name, own in found.link_prediction.items()
    ]
    header = ("protocol", "AUC, %", "MRR, %", "Hits@10, %")
    table = markdown_table(header, rows)
    return "\n\n".join([table, *map(markdown_text, trust(found))])
