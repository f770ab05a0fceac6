"""Builds the site, and is mkdocs' hook for links to files outside docs/.

A link to a file that is not in docs/ leads to a page with that file's content: another
document unchanged, anything else as code.
"""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path, PurePosixPath
from posixpath import normpath, relpath
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
LINK = re.compile(r"(\]\()(?!https?:|#)([^)#\s]+)((?:#[^)\s]+)?\))")
FENCE = re.compile(r"^```.*?^```$", re.MULTILINE | re.DOTALL)


def build(folder: Path = ROOT / "site") -> Path:
    """Writes the site to a folder and returns its first page.

    Raises:
        subprocess.CalledProcessError: A link is broken; mkdocs has printed which.
    """
    words = ["build", "--quiet", "--strict", "--clean", "--site-dir", str(folder)]
    subprocess.run([sys.executable, "-m", "mkdocs", *words], cwd=ROOT, check=True)
    return folder / "index.html"


def linked(page: str) -> list[str]:
    """Returns the paths of the project's files and folders that a page links to."""
    text = FENCE.sub("", (ROOT / page).read_text(encoding="utf-8"))
    near = PurePosixPath(page).parent
    return [normpath(str(near / target)) for _, target, _ in LINK.findall(text)]


def place(path: str) -> str:
    """Returns the path of a file's page in the site."""
    if path.startswith("docs/"):
        return path.removeprefix("docs/")
    path = path.removeprefix(".")  # mkdocs omits hidden folders
    return f"source/{path}" if path.endswith(".md") else f"source/{path}.md"


def with_links(text: str, page: str) -> str:
    """Returns the text of a page with links adapted to the site."""
    near, here = PurePosixPath(page).parent, PurePosixPath(place(page)).parent

    def turned(match: re.Match[str]) -> str:
        target = normpath(str(near / match[2]))
        return f"{match[1]}{relpath(place(target), str(here))}{match[3]}"

    return LINK.sub(turned, text)


def content(path: str) -> str:
    """Returns the page of a file or folder that is not in docs/."""
    whole = ROOT / path
    if path.endswith(".md"):
        return with_links(whole.read_text(encoding="utf-8"), path)
    if whole.is_dir():
        shown = "\n".join(sorted(p.name for p in whole.iterdir() if p.name[0] != "_"))
    else:
        shown = whole.read_text(encoding="utf-8")
    indented = "\n".join(f"    {line}" for line in shown.splitlines())
    return f"# {path}\n\n{indented}\n"


def on_files(files: Any, config: Any) -> Any:
    """Adds pages of linked files that are not in docs/ (called by mkdocs)."""
    from mkdocs.structure.files import File

    waiting = [f"docs/{file.src_uri}" for file in files.documentation_pages()]
    seen = set(waiting)
    while waiting:
        for path in linked(waiting.pop()):
            if path.startswith("docs/") or path in seen or not (ROOT / path).exists():
                continue
            seen.add(path)
            files.append(File.generated(config, place(path), content=content(path)))
            if path.endswith(".md"):
                waiting.append(path)
    return files


def on_page_markdown(markdown: str, page: Any, config: Any, files: Any) -> str:
    """Adapts the links of a page to files outside docs/ (called by mkdocs)."""
    if page.file.src_uri.startswith("source/"):
        return markdown
    return with_links(markdown, f"docs/{page.file.src_uri}")
