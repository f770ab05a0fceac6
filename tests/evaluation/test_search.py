"""Known-item search on a tiny network, beside a search through all texts."""

import numpy as np
import pytest
from sklearn.feature_extraction.text import TfidfVectorizer

from cane_gane.data.network import TextualNetwork
from cane_gane.data.tfidf import TextSpace
from cane_gane.evaluation import search
from cane_gane.evaluation.fitted import Fitted
from cane_gane.evaluation.search import first_words, known_items

WORDS = ["graph", "edge", "node", "path", "rank", "norm", "cell", "gene", "dna", "ion"]


def counts(texts):
    """How often each word is in each text."""
    return np.array([[text.split().count(word) for word in WORDS] for text in texts])


def vector(text):
    """Where the text vectors have a text: half of the words do not count."""
    return counts([text])[0] * ([1.0] * 5 + [0.1] * 5)


def affinity(query, text):
    """What the text score makes of two texts: shared words, for the text's length."""
    left, right = counts([query.replace(".", ""), text.replace(".", "")])
    return left @ right / (1 + right @ right)


class Reader(Fitted):
    """Reads texts; its vectors are coarser than its score."""

    reads_texts = True
    vectors = np.zeros((0, 1))

    def __init__(self):
        self.asked = []

    def score(self, pairs):
        raise AssertionError("pairs of nodes are not asked for")

    def embed_texts(self, texts):
        return np.array([vector(text) for text in texts], np.float32)

    def score_texts(self, sources, targets):
        self.asked.append(len(sources))
        return np.array(
            [affinity(*pair) for pair in zip(sources, targets, strict=True)]
        )


@pytest.fixture(scope="module")
def network():
    """Sixty texts of two sentences, a few of them alike, two without words."""
    rng = np.random.default_rng(6)
    texts = [
        f"{' '.join(rng.choice(WORDS, 4))}. {' '.join(rng.choice(WORDS, 9))}"
        for _ in range(54)
    ]
    texts = [*texts, *texts[:4], "", "  "]
    return TextualNetwork(texts, np.array([[0, 1]]))


def place(scores, own):
    others = [score for node, score in scores.items() if node != own]
    ties = sum(score == scores[own] for score in others)
    return 1 + sum(score > scores[own] for score in others) + ties / 2


def test_places_are_those_of_a_search_through_all_texts(network, monkeypatch):
    monkeypatch.setattr(search, "SHORTLIST", 6)
    texts, ours, tfidf = network.texts, [], []
    queries = [text.split(". ")[0] for text in texts[:58]]
    space = TextSpace.fit("common", texts)
    likeness = (space.of(queries) @ space.vectors.T).toarray()
    by_words = np.argsort(-likeness, axis=1, kind="stable")
    vectorizer = TfidfVectorizer(sublinear_tf=True, min_df=2)
    known = vectorizer.fit_transform(texts).toarray()
    for node, text in enumerate(texts[:58]):
        query = text.split(". ")[0]
        near = {n: vector(query) @ vector(own) for n, own in enumerate(texts)}
        best = sorted(near, key=lambda n: (-np.float32(near[n]), n))[:6]
        named = {*best, *by_words[node, :6].tolist()}
        scores = {n: affinity(query, texts[n]) for n in named}
        ours.append(place(scores, node) if node in scores else np.inf)
        cosines = known @ vectorizer.transform([query]).toarray()[0]
        tfidf.append(place(dict(enumerate(cosines.round(12))), node))
    found = known_items(Reader(), network)
    assert found.queries == 58
    assert np.isinf(ours).any()
    for own, places in ((found, ours), (found.tfidf, tfidf)):
        assert own.top1 == pytest.approx(np.mean(np.array(places) <= 1))
        assert own.top10 == pytest.approx(np.mean(np.array(places) <= 10))
    assert 0 < found.top1 < found.top10 < 1


def test_some_nodes_are_searched_for_by_chance(network, monkeypatch):
    monkeypatch.setattr(search, "QUERIES", 9)
    first, again, other = (known_items(Reader(), network, seed) for seed in (1, 1, 2))
    assert first.queries == 9
    assert first == again != other


def test_of_many_nodes_some_are_searched_through(network, monkeypatch):
    assert known_items(Reader(), network).among is None
    monkeypatch.setattr(search, "MOST", 30)
    found = known_items(Reader(), network)
    drawn = np.sort(np.random.default_rng(1).permutation(60)[:30])
    part = TextualNetwork([network.texts[node] for node in drawn], np.array([[0, 1]]))
    alone = known_items(Reader(), part)
    assert (found.among, found.queries) == (30, sum(drawn < 58))
    assert (found.top1, found.top10, found.tfidf) == (
        alone.top1, alone.top10, alone.tfidf
    )  # fmt: skip


def test_the_score_orders_a_shortlist_only(network):
    reader = Reader()
    known_items(reader, network)
    assert reader.asked == [58 * 20]


def test_blocks_do_not_change_what_is_found(network, monkeypatch):
    whole = known_items(Reader(), network)
    monkeypatch.setattr(search, "BLOCK_CELLS", 150)
    assert known_items(Reader(), network) == whole


@pytest.mark.parametrize("texts", [["graph", "edge"], ["graph"]])
def test_words_of_a_single_text_leave_tfidf_without_an_answer(texts):
    network = TextualNetwork(texts, np.array([[0, 0]]))
    found = known_items(Reader(), network)
    assert found.top1 == 1
    assert found.tfidf.top1 == (len(texts) == 1)
    assert found.tfidf.top10 == 1


def test_without_texts_there_is_no_search():
    assert known_items(Reader(), TextualNetwork(["", " "], np.array([[0, 1]]))) is None


def test_a_method_that_reads_no_texts_does_not_search(network):
    reader = Reader()
    reader.reads_texts = False
    assert known_items(reader, network) is None


@pytest.mark.parametrize(
    ("text", "query"),
    [
        ("Red fox. Blue sea.", "Red fox"),
        ("red  fox\tin e.g. water", "red fox in e.g"),
        (" ".join("abcdefghijklmnop"), "a b c d e f g h i j k l"),
        ("one", "one"),
        ("  . . then a word. end", "then a word"),
    ],
)
def test_a_query_is_the_first_sentence_or_its_first_words(text, query):
    assert first_words(text) == query
