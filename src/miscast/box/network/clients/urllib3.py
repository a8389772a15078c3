"""urllib3, and with it requests and botocore: judged as a whole, so that nothing is tried twice or slept over."""

from __future__ import annotations

import functools
import io
import sys
from typing import TYPE_CHECKING, Any

from miscast.running.process.patching import Patch

from ..answer import Answer
from ..gate import Verdict

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ..gate import Gate


def patches(gate: Gate, module: Any) -> Iterator[Patch]:
    """Yield the one method through which all requests go."""
    kind = module.HTTPConnectionPool
    urlopen = kind.urlopen

    @functools.wraps(urlopen)
    def urlopen_(
        self: Any,
        method: str,
        url: str,
        body: Any = None,
        headers: Any = None,
        *rest: Any,
        **named: Any,
    ) -> Any:
        to = url
        if "://" not in url:
            to = f"{self.scheme}://{_bracketed(self.host)}:{self.port or ''}{url}"
        verdict = gate.asked(method, to, headers or {}, body)
        if isinstance(verdict, Answer):
            return _response(verdict, method, url, named)
        if verdict is Verdict.REFUSED:
            raise _error(self, url, rest, named)
        if verdict is Verdict.OWN or not gate.shut:
            return urlopen(self, method, url, body, headers, *rest, **named)
        with gate.opened():
            response = urlopen(self, method, url, body, headers, *rest, **named)
        gate.went(response.headers.get("location"))
        return response

    yield Patch(kind, "urlopen", urlopen_)


def _response(answer: Answer, method: str, url: str, named: dict[str, Any]) -> Any:
    responses = sys.modules["urllib3.response"]
    return responses.HTTPResponse(
        body=io.BytesIO(answer.body),
        headers=dict(answer.fields),
        status=answer.status,
        reason=answer.reason,
        version=11,
        preload_content=named.get("preload_content", True),
        decode_content=named.get("decode_content", True),
        request_method=method,
        request_url=url,
    )


def _error(
    pool: Any, url: str, rest: tuple[Any, ...], named: dict[str, Any]
) -> Exception:
    """Return the error of a refused connection at once, whatever number of retries was requested."""
    errors = sys.modules["urllib3.exceptions"]
    nobody: Exception = errors.NewConnectionError(
        pool, "Failed to establish a new connection: Connection refused"
    )
    retries = rest[0] if rest else named.get("retries")
    if retries is False or getattr(retries, "total", None) is False:
        return nobody
    last: Exception = errors.MaxRetryError(pool, url, nobody)
    return last


def _bracketed(host: str) -> str:
    return f"[{host}]" if ":" in host and not host.startswith("[") else host


MODULES = {"urllib3.connectionpool": patches}
