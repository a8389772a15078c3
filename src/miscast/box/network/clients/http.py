"""http.client, and with it urllib and xmlrpc: uploads are accepted at once, who is asked is not there."""

from __future__ import annotations

import functools
import io
import weakref
from typing import TYPE_CHECKING, Any

from miscast.running.process.patching import Patch

from ..answer import Answer, accepted
from ..gate import Verdict, refused

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ..gate import Gate


class _Line:
    """A socket from which an answer is read."""

    def __init__(self, content: bytes) -> None:
        self._content = content

    def makefile(self, *_: Any, **__: Any) -> io.BytesIO:
        """Return what `HTTPResponse` reads."""
        return io.BytesIO(self._content)


def patches(gate: Gate, module: Any) -> Iterator[Patch]:  # noqa: C901 - a function per step of a request
    """Patch `putrequest` to decide; what follows on the same connection is real, or is not done."""
    kind = module.HTTPConnection
    answers: weakref.WeakKeyDictionary[Any, tuple[str, Answer, dict[str, Any]]] = (
        weakref.WeakKeyDictionary()
    )
    leaving: weakref.WeakSet[Any] = weakref.WeakSet()
    putrequest, putheader, endheaders, getresponse = (
        kind.putrequest,
        kind.putheader,
        kind.endheaders,
        kind.getresponse,
    )

    @functools.wraps(putrequest)
    def putrequest_(self: Any, method: str, url: str, *rest: Any, **named: Any) -> None:
        answers.pop(self, None)
        leaving.discard(self)
        verdict = gate.asked(method, _url(module, self, url), {})
        if isinstance(verdict, Answer):
            answers[self] = method, verdict, {}
            return
        if verdict is Verdict.REFUSED:
            raise refused(self.host, 1)
        if verdict is Verdict.OPEN and gate.shut:
            leaving.add(self)
        putrequest(self, method, url, *rest, **named)

    @functools.wraps(putheader)
    def putheader_(self: Any, header: Any, *values: Any) -> None:
        if self in answers:
            answers[self][2][header] = next(iter(values), "")
        else:
            putheader(self, header, *values)

    @functools.wraps(endheaders)
    def endheaders_(self: Any, *rest: Any, **named: Any) -> None:
        if self in answers:
            return
        if self not in leaving:
            endheaders(self, *rest, **named)
            return
        with gate.opened():
            endheaders(self, *rest, **named)

    @functools.wraps(getresponse)
    def getresponse_(self: Any, *rest: Any, **named: Any) -> Any:
        if self in answers:
            return _answered(self, *answers.pop(self))
        response = getresponse(self, *rest, **named)
        if self in leaving:
            gate.went(response.getheader("location"))
        return response

    yield Patch(kind, "putrequest", putrequest_)
    yield Patch(kind, "putheader", putheader_)
    yield Patch(kind, "endheaders", endheaders_)
    yield Patch(kind, "send", _unless(answers, kind.send))
    yield Patch(kind, "getresponse", getresponse_)


def _answered(
    connection: Any, method: str, answer: Answer, headers: dict[str, Any]
) -> Any:
    if answer == accepted({}):  # how it is accepted depends on what has been said since
        answer = accepted(headers)
    response = connection.response_class(_Line(answer.wire()), method=method)
    response.begin()
    return response


def _unless(answers: Any, original: Any) -> Any:
    """Wrap a method to do nothing while an answer is waiting."""

    @functools.wraps(original)
    def call(self: Any, *arguments: Any, **named: Any) -> Any:
        return None if self in answers else original(self, *arguments, **named)

    return call


def _url(module: Any, connection: Any, url: str) -> str:
    """Return the target of a request; a proxy only passes it on."""
    if "://" in url:
        return url
    tunnel = getattr(connection, "_tunnel_host", None)
    host, port = (
        (tunnel, connection._tunnel_port)
        if tunnel
        else (connection.host, connection.port)
    )
    secure = isinstance(connection, getattr(module, "HTTPSConnection", ()))
    host = f"[{host}]" if ":" in host else host
    return f"http{'s' if secure else ''}://{host}:{port}{url}"


MODULES = {"http.client": patches}
