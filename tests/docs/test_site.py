"""The site builds without a broken link, and the workflow runs what it should."""

import importlib.util
import re
import subprocess
import sys

import pytest

from tests.conftest import ROOT
from tests.docs.pages import PAGES, text_of
from tools import figures
from tools.site import LINK, place, with_links

needs_mkdocs = pytest.mark.skipif(
    importlib.util.find_spec("mkdocs") is None,
    reason="mkdocs is installed by the first `bash run.sh docs`",
)


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    folder = tmp_path_factory.mktemp("site")
    words = ["build", "--quiet", "--strict", "--site-dir", str(folder)]
    done = subprocess.run(
        [sys.executable, "-m", "mkdocs", *words],
        cwd=ROOT, capture_output=True, text=True,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    return folder


@needs_mkdocs
def test_every_link_of_the_site_leads_to_a_file(site):
    count = 0
    for page in site.rglob("*.html"):
        if page.name == "404.html":
            continue
        for target in re.findall(
            r'(?:href|src)="([^"#?:]+)["#?]', page.read_text("utf-8")
        ):
            count += 1
            assert (page.parent / target).exists(), f"{page.name}: {target}"
    assert count > 500


@needs_mkdocs
def test_the_site_loads_nothing_from_the_network(site):
    loaded = r'<(?:script|img)[^>]*src="https?:|<link[^>]*href="https?:'
    for page in site.rglob("*.html"):
        assert not re.search(loaded, page.read_text("utf-8")), page


def test_the_menu_has_every_page_of_docs():
    menu = (ROOT / "mkdocs.yml").read_text(encoding="utf-8")
    pages = [page.name for page in PAGES if page.parent == ROOT / "docs"]
    assert [name for name in pages if f" {name}\n" not in menu] == []


def test_the_index_links_to_every_page_of_docs():
    linked = {target for _, target, _ in LINK.findall(text_of("docs/index.md"))}
    pages = {page.name for page in PAGES if page.parent == ROOT / "docs"}
    assert pages - linked == {"index.md"}


def test_links_out_of_docs_lead_to_pages_of_files():
    text = "[a](../cane_gane/api.py) [b](data.md#words) [c](https://example.org/x.md)"
    turned = with_links(text, "docs/start.md")
    assert turned == (
        "[a](source/cane_gane/api.py.md) [b](data.md#words) "
        "[c](https://example.org/x.md)"
    )
    assert with_links("[d](docs/data.md)", "README.md") == "[d](../data.md)"
    assert place("README.md") == "source/README.md"


def test_the_figure_of_a_plan_is_what_the_solver_gives():
    source, target, plan = figures.example()
    shown = re.findall(r">([\d.]+) %<", figures.PLAN.read_text("utf-8"))
    assert [float(share) for share in shown] == pytest.approx(
        (100 * plan).ravel(), abs=0.051
    )
    assert plan.sum(0) == pytest.approx([1 / 3] * 3, abs=1e-6)
    for word in (*source, *target):
        assert f">{word}<" in figures.PLAN.read_text("utf-8")


def test_the_workflow_runs_the_test_command_of_the_readme_on_all_versions():
    workflow = (ROOT / ".github/workflows/test.yml").read_text()
    assert "- run: bash run.sh test\n" in workflow
    assert "\nbash run.sh test " in text_of("README.md")
    project = (ROOT / "pyproject.toml").read_text()
    named = re.findall(r'"Programming Language :: Python :: ([\d.]+)"', project)
    assert re.findall(r'"(3\.\d+)"', workflow) == named
