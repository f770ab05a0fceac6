"""The folders show the architecture: a module imports from earlier ones only."""

import ast
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
PACKAGE = ROOT / "cane_gane"

# Rooms in order, and the modules of each in order. A module may import from earlier
# rooms, and from earlier modules of its own room.
ROOMS = {
    "": ["version", "errors", "files", "config", "progress", "beside"],
    "data": [
        "graph", "random_walks", "tokens", "lines", "weights", "edges", "splits",
        "libraries", "network", "vectors", "export", "tfidf", "statistics", "pydocs",
        "downloads", "catalog", "tfds", "tables", "importing",
    ],
    "sampling": ["negatives", "edges", "texts", "batches"],
    "transport": ["problem", "scalings", "proximal", "adjoint", "solver"],
    "layers": [
        "masking", "convolution", "aggregation", "inner_product", "transport_plan",
        "transport_alignment", "word_alignment", "attention_parsing",
        "mutual_attention",
    ],
    "models": [
        "settings", "words", "chunks", "merging", "encoders", "pair_scorer",
        "pair_model", "cane", "build", "start.blocks", "start.lsa",
        "start.similar", "start.halves", "start.walks", "start.tables",
    ],
    "training": [
        "runtime", "objectives", "optimizer", "compile", "checkpoints", "inputs",
        "room", "forecast", "loop", "workers.cluster", "workers.exchange",
        "workers.step", "workers.loop", "servers.tables", "servers.step",
        "servers.loop", "servers.host",
    ],
    "evaluation": [
        "matching", "fitted", "hard", "protocols", "show", "results", "outcomes",
        "ranking", "roc", "sampled", "shortlist", "search", "classification",
        "contests", "evaluate", "missing", "pairs", "examples",
    ],
    "evidence": [
        "likeness", "spaces", "walks", "closest", "features", "quantities", "pruning",
        "large", "additive", "newcomer", "arrival", "softmax", "calibration", "lists",
        "fit",
    ],
    "serving": [
        "vectorize", "additive", "words", "sparse", "matrices", "evidence", "nodes",
        "signatures", "encoding", "saved_model", "client", "table", "answers", "parts",
        "kept", "index", "newcomers", "arrivals", "vector_answers", "text_answers",
        "trust",
    ],
    "methods": [
        "method", "linear", "baselines", "started", "served", "gane", "together",
        "skip_gram", "pair_loss",
        "deepwalk", "node2vec", "line", "mmb", "naive", "tadw", "cene", "dmte",
        "registry",
    ],
    "report": [
        "titles", "formats", "missing", "figures", "charts", "pictures", "inline",
        "assets", "paper", "page", "maps", "matched", "links", "verdict", "run",
        "repeats", "paired", "several", "ratios", "sheets", "layouts", "exports",
        "overview", "ablation", "reproduction", "answers", "explain", "card",
    ],
    "runs": [
        "config", "folder", "record", "rivals", "answering", "finish", "run", "answers",
        "vectors",
        "signals", "process", "cell", "grid", "reproduction", "loopback", "worker",
        "worker_process", "workers",
    ],
    "upstream": [
        "parity", "checkout", "standins", "watch", "child", "progress", "original",
        "comparison", "outcome", "tables",
    ],
    "api": [""],
    "web": [
        "refusals", "fields", "questions", "worker", "guard", "service", "views",
        "finder", "explorer", "ready", "server",
    ],
    "commands": [
        "flags", "help", "train", "evaluate", "recommend", "search", "explain", "embed",
        "explore", "serve", "report", "table", "ablation", "reproduce", "compare",
        "import", "inspect", "split", "parity",
    ],
    "__main__": [""],
}  # fmt: skip
PARTS = {"models.start", "training.workers", "training.servers"}  # rooms in rooms
ORDER = [
    ".".join(filter(None, (room, module)))
    for room, modules in ROOMS.items()
    for module in modules
]


def name_of(path):
    """The dotted name of a module; a package's __init__ has the package's."""
    parts = list(path.relative_to(PACKAGE).with_suffix("").parts)
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def known(name):
    """The entry of ORDER that a module belongs to: its own, or its package's."""
    while name and name not in ORDER:
        name = name.rpartition(".")[0]
    return name or None


def run_time_nodes(tree):
    """Walks a syntax tree without what is for type checkers only."""
    for node in ast.iter_child_nodes(tree):
        guarded = isinstance(node, ast.If) and "TYPE_CHECKING" in ast.dump(node.test)
        if not guarded:
            yield node
            yield from run_time_nodes(node)


def imports_of(path):
    """Yields the modules of the package that a file imports, at any depth."""
    for node in run_time_nodes(ast.parse(path.read_text())):
        if isinstance(node, ast.ImportFrom):
            module = node.module or ""
            if module.split(".")[0] == "cane_gane":
                base = module.removeprefix("cane_gane").strip(".")
                for alias in node.names:
                    whole = ".".join(filter(None, (base, alias.name)))
                    yield whole if whole in ORDER else base


FILES = [p for p in sorted(PACKAGE.rglob("*.py")) if p != PACKAGE / "__init__.py"]
MODULES = [p for p in FILES if known(name_of(p))]


def test_every_module_has_its_place_in_the_order():
    rooms = {room for room in ROOMS if room}
    strange = [
        name
        for name in map(name_of, FILES)
        if not known(name) and name not in rooms | PARTS
    ]
    assert strange == []


def test_every_place_in_the_order_has_its_module():
    present = {known(name_of(path)) for path in MODULES}
    assert [name for name in ORDER if name not in present] == []


@pytest.mark.parametrize("path", MODULES, ids=name_of)
def test_a_module_imports_from_earlier_ones_only(path):
    own = known(name_of(path))
    for imported in imports_of(path):
        target = known(imported)
        if target is None:  # a room as a whole, which is an earlier one
            room = imported.split(".")[0]
            names = [name for name in ORDER if name.split(".")[0] == room]
            target = names[-1] if names else own
        assert target == own or ORDER.index(target) < ORDER.index(own), imported


def test_the_top_of_the_package_is_small():
    assert len(list(PACKAGE.glob("*.py"))) <= 9


def test_every_module_says_what_it_is_for():
    for path in [PACKAGE / "__init__.py", *FILES]:
        text = ast.get_docstring(ast.parse(path.read_text()))
        assert text, path
        assert text.splitlines()[0].endswith((".", ":")), path


def test_no_data_set_is_tracked():
    listed = subprocess.run(
        ["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=True
    )
    names = {Path(line).name for line in listed.stdout.splitlines()}
    assert not names & {"data.txt", "graph.txt", "group.txt", "ids.txt"}
