"""Refuses requests caused by other sites, and limits what a page may load."""

from __future__ import annotations

from urllib.parse import urlsplit

from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from cane_gane.web.refusals import RequestError, refused

LOOPBACK = frozenset({"localhost", "127.0.0.1", "::1"})
HEADERS = {
    "Content-Security-Policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; "
        "img-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    ),
    "Cache-Control": "no-store",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
}


class Guard:
    """Refuses requests that a page of another site could have caused.

    `Host` reveals a name that was made to point to this machine (DNS rebinding),
    `Origin` a script of another site, and `Sec-Fetch-Site` its images and frames.
    """

    def __init__(self, app: ASGIApp, loopback: bool = True) -> None:
        """Takes the application, and whether only names of this machine are allowed."""
        self._app = app
        self._loopback = loopback

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answers a request, with the headers that all responses have."""
        if scope["type"] != "http":
            return

        async def send_guarded(message: Message) -> None:
            if message["type"] == "http.response.start":
                MutableHeaders(scope=message).update(HEADERS)
            await send(message)

        refusal = self._refusal(Headers(scope=scope))
        app = self._app if refusal is None else refused(refusal)
        await app(scope, receive, send_guarded)

    def _refusal(self, headers: Headers) -> RequestError | None:
        host = headers.get("host", "")
        if self._loopback and _name(host) not in LOOPBACK:
            return RequestError(
                403, f"found Host '{host[:60]}'; expected localhost or 127.0.0.1"
            )
        origin = headers.get("origin")
        if origin is not None and origin.lower() != f"http://{host}".lower():
            return RequestError(
                403, f"found Origin '{origin[:60]}'; expected this server's own"
            )
        site = headers.get("sec-fetch-site", "none")
        visit = headers.get("sec-fetch-mode") == "navigate"
        if site not in ("none", "same-origin") and not visit:
            return RequestError(
                403,
                "found a request from another site; expected this server's own page",
            )
        return None


def _name(host: str) -> str:
    """Returns the name in a `Host` header, without its port."""
    try:
        return urlsplit(f"//{host}").hostname or ""
    except ValueError:
        return ""
