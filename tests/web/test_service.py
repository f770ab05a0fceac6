"""The JSON service, asked over a real socket."""

import json
import socket
import threading
from urllib.parse import urlsplit

import pytest

from cane_gane.version import VERSION
from cane_gane.web import service as service_module
from cane_gane.web.service import MOST_BYTES, service
from cane_gane.web.worker import MOST_WAITING, Worker
from tests.web.fake_answers import FakeAnswers
from tests.web.serving import request, serving


@pytest.fixture(scope="module")
def answers():
    return FakeAnswers()


@pytest.fixture(scope="module")
def home(answers):
    worker = Worker()
    with serving(service(answers, "mine-1", worker, loopback=True)) as home:
        yield home
    worker.close()


@pytest.fixture
def refused(home):
    """Asks what must be refused; returns its status and its line."""

    def refused(path, body=None, **options):
        status, content, _ = request(home, path, body, **options)
        assert list(content) == ["error"]
        assert "\n" not in content["error"]
        assert len(content["error"]) < 400
        return status, content["error"]

    return refused


def test_health_tells_what_is_served(home):
    status, content, _ = request(home, "/health")
    assert status == 200
    assert content == {
        "status": "ok", "run": "mine-1", "version": VERSION, "nodes": 6,
        "reads_texts": True, "waiting": 0,
    }  # fmt: skip


def test_a_recommendation_is_the_record_of_the_answers(home, answers):
    _, content, _ = request(home, "/recommend", {"node": "fox", "top": 2})
    expected = [own.as_json() for own in answers.recommend(0, top=2)]
    assert content == {"suggestions": json.loads(json.dumps(expected))}


def test_a_new_node_is_recommended_none_of_its_links(home):
    asked = {"text": "a red fox", "links": ["pack", 0], "top": 9}
    _, content, _ = request(home, "/recommend", asked)
    assert {own["node"]["id"] for own in content["suggestions"]} == {2, 3, 4, 5}


def test_search_finds_a_text(home):
    _, content, _ = request(home, "/search", {"text": "deep sea", "top": 1})
    assert content["suggestions"][0]["node"]["name"] == "sea"


def test_a_score_is_that_of_the_explanation(home, answers):
    _, content, _ = request(home, "/score", {"source": "fox", "target": 4})
    found = answers.explain("fox", 4)
    assert content == {"score": found.score, "probability": found.probability}


def test_pairs_are_scored_at_once(home):
    _, content, _ = request(home, "/score", {"pairs": [[0, 1], ["wolf", 0]]})
    asked = [{"source": 0, "target": 1}, {"source": 4, "target": 0}]
    assert content == {"scores": request(home, "/score", asked)[1]}


def test_a_text_may_be_the_name_of_a_node(home):
    asked = {"source": {"text": "fox"}, "target": "fox"}
    _, content, _ = request(home, "/explain", asked)
    assert (content["source"]["id"], content["source"]["text"]) == (-1, "fox")
    assert content["target"]["id"] == 0


def test_an_explanation_has_the_plan(home):
    asked = {"source": "red fox", "target": "fox"}
    _, content, _ = request(home, "/explain", asked)
    assert content["match"]["source_words"] == ["red", "fox"]
    assert content["match"]["plan"][1][2] == 0.5


def test_vectors_of_nodes_and_of_texts_agree(home):
    _, nodes, _ = request(home, "/embed", {"nodes": ["fox", 2]})
    texts = ["the red fox runs over the hill", "blue sea and blue sky"]
    _, same, _ = request(home, "/embed", {"texts": texts})
    assert nodes == same == {"vectors": [[30.0, 6.0], [21.0, 4.0]]}


def test_a_node_without_a_vector_has_null(home):
    assert request(home, "/embed", {"nodes": [5]})[1] == {"vectors": [None]}


def test_a_score_that_is_no_number_is_null(home, answers, monkeypatch):
    monkeypatch.setattr(answers, "scores", lambda pairs: [(float("nan"), None)])
    status, content, _ = request(home, "/score", {"source": 0, "target": 1})
    assert (status, content) == (200, {"score": None, "probability": None})


def test_a_batch_is_answered_in_its_order(home):
    batch = [{"node": 2, "top": 1}, {"text": "wolf", "top": 2}]
    _, content, _ = request(home, "/recommend", batch)
    singles = [request(home, "/recommend", own)[1] for own in batch]
    assert content == singles


def test_an_empty_batch_has_no_answers(home):
    assert request(home, "/score", [])[1] == []


def test_a_batch_with_a_fault_is_refused_before_any_answer(home, answers, refused):
    asked = answers.asked
    batch = [{"source": 0, "target": 1}, {"source": 0, "target": 99}]
    status, line = refused("/score", batch)
    assert (status, answers.asked) == (404, asked)
    assert line.startswith("question 1: found node '99'")


@pytest.mark.parametrize(
    ("path", "body", "status", "said"),
    [
        ("/recommend", {"node": 99}, 404, "found node '99'; expected one of"),
        ("/recommend", {"node": "fxo"}, 404, "found node 'fxo'"),
        ("/recommend", {"node": -1}, 404, "found node '-1'"),
        ("/recommend", {"node": True}, 400, "node: found true; expected the id or"),
        ("/recommend", {"node": 1.5}, 400, "node: found 1.5"),
        ("/recommend", {}, 400, "found neither 'node' nor 'text'; expected one"),
        ("/recommend", {"node": 1, "text": ""}, 400, "found 'node' and 'text'"),
        ("/recommend", {"node": 1, "links": [2]}, 400, "expected them with 'text'"),
        ("/recommend", {"node": 1, "top": 0}, 400, "top: found 0; expected 1 to 100"),
        ("/recommend", {"node": 1, "tpo": 3}, 400, "did you mean 'top'?"),
        ("/search", {"text": ["a"]}, 400, 'text: found ["a"]; expected a text'),
        ("/search", {"text": "a" * 100_001}, 413, "found a text of 100,001 letters"),
        ("/search", {}, 400, "found no field 'text'; expected a text"),
        ("/embed", {}, 400, "found neither 'nodes' nor 'texts'"),
        ("/embed", {"nodes": [0] * 1001}, 400, "1,001 nodes; expected 1,000 at most"),
        ("/embed", {"nodes": 3}, 400, "nodes: found 3; expected a list of nodes"),
        ("/score", [{}] * 101, 413, "found a batch of 101 questions"),
        ("/score", {"pairs": [[0, 1, 2]]}, 400, "pairs: found [0, 1, 2]; expected two"),
        ("/score", {"pairs": [[0, "fxo"]]}, 404, "found node 'fxo'"),
        ("/score", 7, 400, "found 7; expected an object of fields"),
        ("/score", [[]], 400, "question 0: found []; expected an object"),
        ("/score", b'{"source": 0,', 400, "found no JSON ("),
        ("/score", b"\xff\xfe\x00", 400, "found no JSON ("),
        ("/score", b"[" * 100_000, 400, "found JSON that is nested too deeply"),
        ("/score", b"", 400, "found no JSON ("),
        ("/score", b"1" * 5000, 400, "found no JSON ("),
    ],
)
def test_a_faulty_question_is_refused_in_one_line(refused, path, body, status, said):
    found, line = refused(path, body)
    assert found == status
    assert said in line


def test_half_a_letter_does_no_harm(home):
    body = rb'{"text": "fox \ud800", "top": 1}'
    status, content, _ = request(home, "/search", body)
    assert status == 200
    assert content["suggestions"][0]["node"]["name"] == "fox"


def test_a_body_that_is_too_large_is_refused(refused):
    status, line = refused("/search", b" " * (MOST_BYTES + 1))
    assert status == 413
    assert line == "found a larger body; expected 4,000,000 bytes at most"


def test_a_body_that_never_ends_is_refused(home, monkeypatch):
    monkeypatch.setattr(service_module, "_SECONDS", 0.1)
    place = urlsplit(home)
    with socket.create_connection((place.hostname, place.port), 10) as slow:
        head = f"POST /search HTTP/1.1\r\nHost: {place.netloc}\r\n"
        slow.sendall(f"{head}Content-Length: 9\r\n\r\n{{".encode())
        assert slow.recv(4096).startswith(b"HTTP/1.1 408 ")


def test_the_wrong_method_is_refused_with_the_right_one(home, refused):
    line = "found GET /score; expected POST there"
    assert refused("/score", method="GET") == (405, line)
    assert request(home, "/score", method="GET")[2]["allow"] == "POST"


def test_an_unknown_address_is_refused_with_those_there_are(refused):
    status, line = refused("/scores")
    assert status == 404
    assert line.startswith("found GET /scores; expected one of /health, /score, ")


def test_a_fault_of_the_program_is_one_line_too(home, answers, refused, monkeypatch):
    monkeypatch.setattr(answers, "search", lambda text, top: 1 / 0)
    status, line = refused("/search", {"text": "fox"})
    assert status == 500
    assert "ZeroDivisionError" in line
    assert request(home, "/health")[0] == 200


def test_health_answers_while_a_question_is_computed(home, answers):
    answers.gate.clear()
    found = []
    asked = threading.Thread(
        target=lambda: found.append(request(home, "/score", {"source": 0, "target": 1}))
    )
    asked.start()
    try:
        assert request(home, "/health")[0] == 200
        assert not found
    finally:
        answers.gate.set()
        asked.join()
    assert found[0][0] == 200


def test_what_cannot_wait_is_told_to_come_again(answers):
    worker = Worker()
    worker.waiting = MOST_WAITING
    with serving(service(answers, "mine", worker, loopback=True)) as home:
        asked = {"source": 0, "target": 1}
        status, content, headers = request(home, "/score", asked)
    worker.close()
    assert (status, headers["retry-after"]) == (503, "1")
    assert content["error"].endswith("try again in a second")
