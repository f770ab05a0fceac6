"""A network whose names and texts try to be more than text."""

from __future__ import annotations

import numpy as np

from cane_gane.data.network import TextualNetwork

SCRIPT = "<script>document.title='taken'</script>"
IMAGE = "<img/src=x/onerror=document.title='taken'>"
BELLS = "fox \x07bell\x1b[31m \x00end"
RIGHT_TO_LEFT = "\u202efox and \u05e9\u05dc\u05d5\u05dd \u0645\u0631\u062d\u0628\u0627"
LONG = " ".join(f"fox{i}" for i in range(10_000))


def hostile_network(nodes: int = 400) -> TextualNetwork:
    """Node 0 is the worst, with edges to 1 and 2; the others fill the map."""
    texts = [
        f"fox {SCRIPT} {IMAGE} ]]> </bdi></p>",
        f"fox {BELLS}",
        RIGHT_TO_LEFT,
        LONG,
        "",
        "fox {{7*7}} ${7*7} javascript:alert(1) \u0130\u0130 fox",
    ]
    names = [IMAGE, "javascript:alert(1)", "\u202eevil", "x" * 3000, "__proto__",
             "constructor"]  # fmt: skip
    generator = np.random.default_rng(0)
    for node in range(len(texts), nodes):
        texts.append(" ".join(generator.choice(["fox", "sea", "sky", "hill"], 6)))
        names.append(f"node-{node}")
    labels = [[IMAGE], ["__proto__"]] + [[f"label{i % 4}"] for i in range(2, nodes)]
    edges = [[0, 1], [0, 2]] + [[i, i + 1] for i in range(6, nodes - 1)]
    return TextualNetwork(texts, np.array(edges), labels, names)
