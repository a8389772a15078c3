"""httpx, and httpx2, which the Hub's library uses: their transports; those that a program wrote itself stay its own."""

from __future__ import annotations

import functools
import sys
from typing import TYPE_CHECKING, Any

from miscast.running.process.patching import Patch

from ..answer import Answer
from ..gate import Verdict

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ..gate import Gate


def _instead(gate: Gate, module: Any, request: Any, body: Any) -> Any:
    """Return the answer to a request that stays; `Verdict.OPEN` for one that leaves.

    None for one that is not our matter.
    """
    verdict = gate.asked(request.method, str(request.url), request.headers, body)
    if isinstance(verdict, Answer):
        answer = module.Response(
            verdict.status,
            headers=verdict.fields,
            content=verdict.body,
            request=request,
        )
        if request.method == "HEAD":  # the length of what is not there
            answer.headers["Content-Length"] = dict(verdict.fields).get(
                "Content-Length", "0"
            )
        return answer
    if verdict is Verdict.REFUSED:
        raise module.ConnectError("[Errno 111] Connection refused", request=request)
    return None if verdict is Verdict.OWN or not gate.shut else verdict


def patches(gate: Gate, module: Any) -> Iterator[Patch]:
    """Yield each hop of a request comes by here."""
    handle = module.HTTPTransport.handle_request
    handle_async = module.AsyncHTTPTransport.handle_async_request

    @functools.wraps(handle)
    def handle_request(self: Any, request: Any) -> Any:
        body = (
            request.read() if gate.shut and "paths-info" in str(request.url) else None
        )
        answer = _instead(gate, module, request, body)
        if answer is None:
            return handle(self, request)
        if answer is not Verdict.OPEN:
            return answer
        with gate.opened():
            response = handle(self, request)
        gate.went(response.headers.get("location"))
        return response

    @functools.wraps(handle_async)
    async def handle_async_request(self: Any, request: Any) -> Any:
        answer = _instead(gate, module, request, None)
        # what runs between the parts of a coroutine must not leave with it
        if answer is Verdict.OPEN:
            gate.tell(request.url.host, request.method)
            raise module.ConnectError("[Errno 111] Connection refused", request=request)
        return await handle_async(self, request) if answer is None else answer

    if "_client" in str(sys.modules.get(f"{module.__name__}._client")):
        yield Patch(module.HTTPTransport, "handle_request", handle_request)
        yield Patch(
            module.AsyncHTTPTransport, "handle_async_request", handle_async_request
        )


MODULES = {"httpx": patches, "httpx2": patches}
