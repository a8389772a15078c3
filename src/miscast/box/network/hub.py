"""Reads model hubs for a process that has no network: one JSON request per line, one JSON answer per line.

    $ echo '{"hub": "hf_hub_download", "arguments": {"repo_id": "gpt2", "filename": "config.json"}}' |
          python -m miscast.box.network.hub
    {"path": "/home/ann/.cache/huggingface/hub/models--gpt2/snapshots/607a…/config.json"}

The requests come from a program that is not trusted. They are data: what is called stands in `questions.py`, with the
arguments that it may be given, and is written only to the usual caches. Nothing else of the request is looked at.
"""

from __future__ import annotations

import base64
import hashlib
import json
import os
import re
import shutil
import sys
import urllib.error
import urllib.request
from typing import Any
from urllib.parse import urlsplit

from ...core.atomic_write import replacing
from .questions import FUNCTIONS, QUESTION

_ENDPOINTS = ("https://huggingface.co", "https://hf-mirror.com")
_HOSTS = (
    "huggingface.co", "hf.co", "hf-mirror.com", "modelscope.cn", "modelscope.ai", "github.com",
)  # fmt: skip
_MOST = 64 * 2**20
_SECONDS = 30


def answer(request: dict[str, Any]) -> dict[str, Any]:
    """Return what the hub says: `{"path": …}`, `{"status": …, "headers": …, "body": …}`, or `{"error": type, "text".

    …}`.
    """
    name, given = request.get("hub"), request.get("arguments")
    if (
        not isinstance(name, str)
        or name not in FUNCTIONS
        or not isinstance(given, dict)
    ):
        return {"error": "ValueError", "text": f"unknown request: {name!r}"}
    arguments = {key: value for key, value in given.items() if key in FUNCTIONS[name]}
    try:
        if name == "request":
            return _request(**arguments)
        if name == "torch_hub":
            return {"path": _weights(**arguments)}
        return {"path": _hugging_face(name, arguments)}
    except Exception as error:  # noqa: BLE001 - every failure is the program's to see
        status = getattr(getattr(error, "response", None), "status_code", None)
        return {"error": type(error).__name__, "text": str(error), "status": status}


def _hugging_face(name: str, arguments: dict[str, Any]) -> str:
    import huggingface_hub
    from huggingface_hub import constants
    from huggingface_hub.utils._http import http_backoff

    (http_backoff.__kwdefaults__ or {})["max_retries"] = (
        1  # in this process, which ends with the check
    )
    if arguments.get("endpoint") not in {None, constants.ENDPOINT, *_ENDPOINTS}:
        arguments.pop("endpoint")
    return str(getattr(huggingface_hub, name)(**arguments))


def _request(
    method: str, url: str, headers: dict[str, str] | None = None, body: str = ""
) -> dict[str, Any]:
    """Return one request that only reads, of a hub's own host; redirects are the asker's to follow."""
    to = urlsplit(url)
    content = base64.b64decode(body)
    if (
        not _only_asks(method, to.path)
        or not _is_hub(to.netloc, to.scheme)
        or len(content) > 2**16
    ):
        raise ValueError(f"not a read request to a hub: {method} {url}")
    sent = {str(name): str(value) for name, value in (headers or {}).items()}
    asked = urllib.request.Request(  # noqa: S310 - judged above
        url, data=content or None, headers=sent, method=method
    )
    try:
        response = urllib.request.build_opener(_Stay).open(asked, timeout=_SECONDS)
    except urllib.error.HTTPError as error:
        response = error
    with response:
        read = response.read(_MOST + 1)
        if len(read) > _MOST:
            raise ValueError(f"more than {_MOST} bytes: {url}")
        return {
            "status": response.status,
            "headers": list(response.headers.items()),
            "body": base64.b64encode(read).decode(),
        }


def _only_asks(method: str, path: str) -> bool:
    return method in {"GET", "HEAD"} or (
        method == "POST" and re.fullmatch(QUESTION, path) is not None
    )


class _Stay(urllib.request.HTTPRedirectHandler):
    """Follows no redirect."""

    def redirect_request(self, *_: Any) -> None:
        """Return None, so that no redirect is followed."""
        return


def _is_hub(netloc: str, scheme: str) -> bool:
    own = urlsplit(os.environ.get("HF_ENDPOINT", _ENDPOINTS[0]))
    host = netloc.partition(":")[0]
    known = any(host == end or host.endswith(f".{end}") for end in _HOSTS)
    return (scheme == "https" and known and "@" not in netloc) or (scheme, netloc) == (
        own.scheme,
        own.netloc,
    )


def _weights(url: str) -> str:
    """Return a file in torch's cache, downloaded if it is not there."""
    if urlsplit(url).scheme not in {"http", "https"}:
        raise ValueError(f"not a download: {url}")
    cache = os.environ.get("XDG_CACHE_HOME") or os.path.join(
        os.path.expanduser("~"), ".cache"
    )
    home = os.environ.get("TORCH_HOME") or os.path.join(cache, "torch")
    folder = os.path.join(os.path.expanduser(home), "hub", "checkpoints")
    name = os.path.basename(urlsplit(url).path) or "file"
    # the same name may stand for other files elsewhere
    if not re.search(r"-[0-9a-f]{8,}\.", name):
        name = f"{hashlib.sha256(url.encode()).hexdigest()[:8]}-{name}"
    target = os.path.join(folder, name)
    if os.path.exists(target):
        return target
    os.makedirs(folder, exist_ok=True)
    opened = urllib.request.urlopen(url, timeout=_SECONDS)  # noqa: S310 - the scheme was judged
    with opened as response, replacing(target) as file:
        shutil.copyfileobj(response, file)
        # by parts, a body that ends before its Content-Length raises nothing
        if response.length:
            raise ConnectionError(
                f"{url}: incomplete download, {response.length:,} bytes are missing"
            )
    return target


def main() -> None:
    """Answer until the asker is gone. What a library prints goes to stderr."""
    out = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    for line in sys.stdin:
        try:
            request = json.loads(line)
        except ValueError as error:
            request = {"hub": f"not JSON: {error}"}
        print(
            json.dumps(answer(request if isinstance(request, dict) else {})),
            file=out,
            flush=True,
        )


if __name__ == "__main__":
    main()
