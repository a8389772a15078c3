"""Files of the Hugging Face Hub: from the cache if they are there, else read by whoever can, and kept in the cache."""

from __future__ import annotations

import builtins
import functools
import inspect
import json
import os
import shutil
import sys
from typing import TYPE_CHECKING, Any

from miscast.running.process.patching import Patch

from ..headers import without_weights
from ..questions import FUNCTIONS

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ..gate import Gate
    from ..headers import Headers


def constants(gate: Gate, module: Any) -> Iterator[Patch]:
    """Patch constants so that Python downloads, visibly, or not at all offline. Variables would outlive the check."""
    wanted = {
        "HF_HUB_DISABLE_XET": True,
        "HF_HUB_ENABLE_HF_TRANSFER": False,
        "HF_HUB_DISABLE_TELEMETRY": True,
    }
    if gate.network.mode == "offline":
        wanted["HF_HUB_OFFLINE"] = True
    for name, value in wanted.items():
        if hasattr(module, name):
            yield Patch(module, name, value)


def retries(gate: Gate, module: Any) -> Iterator[Patch]:
    """Patch the retries: a hub that cannot be reached is asked twice, not for half a minute per file."""
    defaults = getattr(vars(module).get("http_backoff"), "__kwdefaults__", None) or {}
    if gate.network.mode == "hub" and "max_retries" in defaults:
        yield Patch(defaults, "max_retries", 1)


def downloads(gate: Gate, module: Any) -> Iterator[Patch]:
    """Patch `hf_hub_download` or `snapshot_download`, whichever the module defines itself."""
    if gate.network.mode != "hub":
        return
    for name in ("hf_hub_download", "snapshot_download"):
        original = vars(module).get(name)
        if getattr(original, "__module__", None) == module.__name__:
            yield Patch(module, name, _download(gate, name, original))
    if inspect.isfunction(cached := vars(module).get("try_to_load_from_cache")):
        yield Patch(module, "try_to_load_from_cache", _looked_up(cached, gate.headers))


def _looked_up(original: Any, headers: Headers) -> Any:
    signature = inspect.signature(original)

    @functools.wraps(original)
    def look_up(*given: Any, **named: Any) -> Any:
        found = original(*given, **named)
        if isinstance(found, str):
            return found
        return (
            headers.known(_plain_revision(bound(signature, *given, **named))) or found
        )

    return look_up


def _download(gate: Gate, name: str, original: Any) -> Any:
    signature = inspect.signature(original)

    @functools.wraps(original)
    def download(*given: Any, **named: Any) -> Any:
        if not gate.shut or named.get("local_files_only") or named.get("dry_run"):
            return original(*given, **named)
        here = _cached(name, original, given, named)
        if here is not None:
            return here
        arguments = _plain_revision(bound(signature, *given, **named))
        try:
            if name == "snapshot_download":
                return _snapshot(gate, original, arguments)
            weights = _header(gate.headers, arguments)
            if weights is not None:
                return weights
            if gate.network.fetch is None:
                return original(*given, **named)
            return _fetched(gate, name, arguments)
        except errors().RepositoryNotFoundError as error:
            if arguments.get("repo_id") not in gate.created:
                raise
            raise _empty(error) from error

    return download


def _header(headers: Headers, arguments: dict[str, Any]) -> str | None:
    """Return a file with only the header of the weights."""
    try:
        return headers.file(arguments)
    except (errors().HfHubHTTPError, errors().EntryNotFoundError):
        raise
    except Exception as error:  # as the library tells of a hub that it cannot reach
        raise errors().LocalEntryNotFoundError(
            f"{arguments.get('filename')}: {error}"
        ) from error


def _snapshot(gate: Gate, original: Any, arguments: dict[str, Any]) -> Any:
    """Return all but the weights, and the headers of these beside it."""
    try:
        rest, names = without_weights(arguments)
    except Exception:  # noqa: BLE001 - the library tells what is wrong with the hub, or takes what it has
        rest, names = arguments, []
    folder = ""
    if rest is not None:
        folder = (
            original(**rest)
            if gate.network.fetch is None
            else _fetched(gate, "snapshot_download", rest)
        )
    return gate.headers.beside(str(folder), arguments, names)


def _fetched(gate: Gate, name: str, arguments: dict[str, Any]) -> Any:
    """Fetch a file through the process outside, which now has it in the usual cache."""
    sent = {
        key: _plain(value)
        for key, value in arguments.items()
        if key in FUNCTIONS[name] and _is_plain(value)
    }
    got = gate.fetch(name, sent)
    if "path" not in got:
        raise _error(got)
    into = arguments.get("local_dir")
    if into is None:
        return got["path"]
    return _copied(got["path"], str(into), arguments.get("filename"))


def _empty(error: Exception) -> Exception:
    """Return what a repository says that the program would have created: it is there, and the file is not."""
    missing: Exception = errors().LocalEntryNotFoundError(str(error))
    return missing


def _cached(
    name: str, original: Any, given: tuple[Any, ...], named: dict[str, Any]
) -> Any:
    """Return a branch may have moved since; its dtypes and shapes hardly have.

    Nobody knows whether a snapshot is complete.
    """
    if name != "hf_hub_download" or named.get("force_download"):
        return None
    try:
        return original(*given, **{**named, "local_files_only": True})
    except errors().EntryNotFoundError:
        return None


def _plain_revision(arguments: dict[str, Any]) -> dict[str, Any]:
    """Return a revision that the library has resolved before is an object of its own since 2.4."""
    resolved = getattr(arguments.get("revision"), "resolved", None)
    return arguments if resolved is None else {**arguments, "revision": resolved}


def _plain(value: Any) -> Any:
    return os.fspath(value) if isinstance(value, os.PathLike) else value


def _is_plain(value: Any) -> bool:
    try:
        json.dumps(_plain(value))
    except (TypeError, ValueError):
        return False
    return True


def _copied(path: str, into: str, filename: str | None) -> str:
    """Return where the program wants it: whoever read it keeps it in the usual cache only."""
    if filename is None:
        return str(shutil.copytree(path, into, dirs_exist_ok=True))
    target = os.path.join(into, filename)
    os.makedirs(os.path.dirname(target) or ".", exist_ok=True)
    return str(shutil.copyfile(path, target))


def errors() -> Any:
    """Return the module of the library's errors; they moved in 0.25."""
    return (
        sys.modules.get("huggingface_hub.errors")
        or sys.modules["huggingface_hub.utils"]
    )


def _error(got: dict[str, Any]) -> Exception:
    """Return the library's own error of that name."""
    name, text = str(got.get("error")), str(got.get("text", ""))
    known = errors()
    kind: Any = getattr(known, name, None) or getattr(builtins, name, None)
    if not (isinstance(kind, type) and issubclass(kind, Exception)):
        kind = known.LocalEntryNotFoundError
    if not issubclass(kind, known.HfHubHTTPError):
        plain: Exception = kind(text)
        return plain
    library = sys.modules[known.HfHubHTTPError.__mro__[1].__module__.partition(".")[0]]
    status = int(got.get("status") or 404)
    if library.__name__ == "requests":
        response = library.Response()
        response.status_code = status
    else:
        response = library.Response(
            status, request=library.Request("GET", "https://huggingface.co")
        )
    answered: Exception = kind(text, response=response)
    return answered


MODULES = {
    "huggingface_hub.constants": constants,
    "huggingface_hub.file_download": downloads,
    "huggingface_hub._snapshot_download": downloads,
    "huggingface_hub.utils._http": retries,
}


def bound(signature: inspect.Signature, /, *given: Any, **named: Any) -> dict[str, Any]:
    """Return what goes where; without the names that a library's decorator takes away before the function is called.

    Transformers gives `proxies` to every download, which huggingface_hub has not known since 1.0.
    """
    takes_all = any(
        parameter.kind is inspect.Parameter.VAR_KEYWORD
        for parameter in signature.parameters.values()
    )
    known = {
        name: value
        for name, value in named.items()
        if takes_all or name in signature.parameters
    }
    return dict(signature.bind(*given, **known).arguments)
