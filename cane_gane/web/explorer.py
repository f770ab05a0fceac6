"""A run as a web page on this machine: the page, its files, and its questions."""

from __future__ import annotations

from functools import partial
from pathlib import Path

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response
from starlette.routing import Mount, Route
from starlette.staticfiles import StaticFiles

from cane_gane.report.assets import COLOURS, STATIC
from cane_gane.serving.answers import Answers
from cane_gane.web.finder import Finder
from cane_gane.web.questions import Question, recommend, respond, search
from cane_gane.web.refusals import json_response
from cane_gane.web.service import application, asked
from cane_gane.web.views import PairView, network_view, node_view
from cane_gane.web.worker import Worker

_HERE = Path(__file__).resolve().parent
_PAGES = Environment(
    loader=FileSystemLoader(_HERE / "templates"),
    autoescape=True,
    undefined=StrictUndefined,
)


def explorer(answers: Answers, run: str, worker: Worker) -> Starlette:
    """Returns the application of `explore`.

    Args:
        answers: An opened run.
        run: Its name.
        worker: The worker that computes answers.
    """
    network = answers.network
    page = _PAGES.get_template("explorer.html").render(
        run=run,
        nodes=network.node_count,
        edges=len(network.edges),
        reads_texts=answers.reads_texts,
    )
    drawn = json_response(network_view(answers, run))

    async def show(request: Request) -> Response:
        return HTMLResponse(page.encode(errors="replace"))

    async def colours(request: Request) -> Response:
        return Response(COLOURS, media_type="text/css")

    async def places(request: Request) -> Response:
        return drawn

    questions: dict[str, Question] = {
        "node": node_view,
        "find": Finder(answers),
        "pair": PairView(answers),
        "recommend": recommend,
        "search": search,
    }
    asking = [
        Route(f"/api/{name}", asked(partial(respond, question, answers), worker),
              methods=["POST"])
        for name, question in questions.items()
    ]  # fmt: skip
    files = StaticFiles(directory=_HERE / "static")
    files.all_directories.append(STATIC)  # the map, which is also in reports
    return application([
        Route("/", show),
        Route("/colours.css", colours),
        Route("/api/network", places),
        *asking,
        Mount("/static", files),
    ])  # fmt: skip
