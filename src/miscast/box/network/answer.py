"""Answers to a program's requests that are never sent."""

from __future__ import annotations

import base64
from dataclasses import dataclass
from http import HTTPStatus
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping

_HOP = {"content-encoding", "content-length", "transfer-encoding", "connection"}

_XML_RPC = (
    b"<?xml version='1.0'?><methodResponse><params><param>"
    b"<value><boolean>1</boolean></value></param></params></methodResponse>"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """An HTTP response without a connection."""

    status: int = 200
    headers: tuple[tuple[str, str], ...] = (("Content-Type", "application/json"),)
    body: bytes = b"{}"

    @property
    def reason(self) -> str:
        """The words of the status."""
        known = {status.value: status.phrase for status in HTTPStatus}
        return known.get(self.status, "")

    @property
    def fields(self) -> list[tuple[str, str]]:
        """The headers with the length of the body."""
        said = any(name.lower() == "content-length" for name, _ in self.headers)
        return [
            *self.headers,
            *(() if said else (("Content-Length", str(len(self.body))),)),
        ]

    def wire(self) -> bytes:
        """Return the bytes that would come out of a socket."""
        head = "".join(f"{name}: {value}\r\n" for name, value in self.fields)
        return (
            f"HTTP/1.1 {self.status} {self.reason}\r\n{head}\r\n".encode("latin-1")
            + self.body
        )


def accepted(headers: Mapping[str, Any]) -> Answer:
    """Return an empty object; of S3 an empty body, which its clients read as success, and of XML-RPC a plain true."""
    kinds = {str(_text(name)).lower(): _text(value) for name, value in headers.items()}
    if any(name.startswith("x-amz-") for name in kinds) and "json" not in kinds.get(
        "content-type", ""
    ):
        return Answer(headers=(("ETag", '"0"'),), body=b"")
    if kinds.get("content-type", "").startswith("text/xml"):
        return Answer(headers=(("Content-Type", "text/xml"),), body=_XML_RPC)
    return Answer()


def read(answer: Mapping[str, Any], method: str) -> Answer:
    """Return a hub's answer to a request that another process sent."""
    body = base64.b64decode(answer["body"])
    gone = _HOP if method != "HEAD" else _HOP - {"content-length"}
    headers = tuple(
        (name, value) for name, value in answer["headers"] if name.lower() not in gone
    )
    return Answer(status=int(answer["status"]), headers=headers, body=body)


def _text(value: Any) -> str:
    return value.decode("latin-1") if isinstance(value, bytes) else str(value)
