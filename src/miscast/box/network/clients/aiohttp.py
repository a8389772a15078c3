"""aiohttp: every verb is one method of a session."""

from __future__ import annotations

import functools
import inspect
import sys
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

from miscast.running.process.patching import Patch

from ..answer import Answer
from ..gate import Verdict, place, refused

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ..gate import Gate


def patches(gate: Gate, module: Any) -> Iterator[Patch]:
    """Patch the private method that the public ones wrap; a middleware can only be set at construction."""
    original = module.ClientSession._request

    @functools.wraps(original)
    async def _request(self: Any, method: str, url: Any, **named: Any) -> Any:
        to = self._build_url(url) if hasattr(self, "_build_url") else url
        verdict = gate.asked(method, str(to), dict(named.get("headers") or {}))
        if isinstance(verdict, Answer):
            return _response(module, self, method, to, verdict)
        # what runs between the parts of a coroutine must not leave with it
        if verdict is Verdict.OPEN and gate.shut:
            gate.tell(place(*_target(to)), method)
        elif verdict is not Verdict.REFUSED:
            return await original(self, method, url, **named)
        host, port = _target(to)
        raise module.ClientConnectorError(
            SimpleNamespace(host=host, port=port, ssl=True, is_ssl=False, proxy=None),
            refused(f"{host}:{port}", 1),
        )

    yield Patch(module.ClientSession, "_request", _request)


def _target(url: Any) -> tuple[Any, Any]:
    return getattr(url, "host", str(url)), getattr(url, "port", None)


def _response(module: Any, session: Any, method: str, url: Any, answer: Answer) -> Any:
    """Return a response that was read to its end."""
    import asyncio

    kind = module.ClientResponse
    url = sys.modules["yarl"].URL(url)
    multidict = sys.modules["multidict"]
    loop = asyncio.get_running_loop()
    empty = multidict.CIMultiDictProxy(multidict.CIMultiDict())
    offered = {
        "writer": None,
        "continue100": None,
        "timer": None,
        "request_info": module.RequestInfo(url, method, empty, url),
        "traces": [],
        "loop": loop,
        "session": session,
        "stream_writer": SimpleNamespace(output_size=0),
    }
    taken = inspect.signature(kind.__init__).parameters
    response = kind(
        method, url, **{name: value for name, value in offered.items() if name in taken}
    )
    nobody = SimpleNamespace(
        _reading_paused=False,
        pause_reading=lambda: None,
        resume_reading=lambda **_: None,
    )
    stream = module.StreamReader(nobody, limit=2**16, loop=loop)
    stream.feed_data(answer.body)
    stream.feed_eof()
    response.status = answer.status
    response.reason = answer.reason
    response.content = stream
    response.version = module.HttpVersion11
    response._headers = multidict.CIMultiDictProxy(multidict.CIMultiDict(answer.fields))
    response._raw_headers = tuple(
        (name.encode(), value.encode()) for name, value in answer.fields
    )
    response._closed = True
    return response


MODULES = {"aiohttp": patches}
