"""A repository that the program would have created is there for it afterwards, and empty."""

from __future__ import annotations

import functools
import inspect
from typing import TYPE_CHECKING, Any

from .hub_reads import errors
from .hub_writes import of_client

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from miscast.running.process.patching import Patch

    from ..gate import Gate

_KINDS = {
    "model_info": "ModelInfo",
    "dataset_info": "DatasetInfo",
    "space_info": "SpaceInfo",
}
_EMPTY: dict[str, Any] = {
    "sha": "0" * 40, "private": False, "disabled": False, "gated": False, "downloads": 0, "likes": 0, "tags": [],
    "siblings": [],
}  # fmt: skip


def patches(gate: Gate, module: Any) -> Iterator[Patch]:
    """Patch the queries for a repository, both methods and functions."""
    instead: dict[str, Callable[[str, Any], Any]] = {
        name: functools.partial(_info, getattr(module, kind, None))
        for name, kind in _KINDS.items()
    }
    instead["list_repo_files"] = lambda *_: []
    instead["list_repo_tree"] = _tree
    instead["get_paths_info"] = lambda *_: []
    for name, empty in instead.items():
        if inspect.isfunction(original := vars(module.HfApi).get(name)):
            yield from of_client(module, name, _asked(gate, module, original, empty))


def _asked(
    gate: Gate, module: Any, original: Any, empty: Callable[[str, Any], Any]
) -> Any:
    """Return the hub's word goes first: the repository may have been there."""
    missing = (module.RepositoryNotFoundError, ConnectionError)

    @functools.wraps(original)
    def ask(self: Any, repo_id: str, *given: Any, **named: Any) -> Any:
        if not gate.shut or repo_id not in gate.created:
            return original(self, repo_id, *given, **named)
        try:
            found = original(self, repo_id, *given, **named)
            return iter(list(found)) if inspect.isgenerator(found) else found
        except missing:
            return empty(repo_id, given[0] if given else named.get("path_in_repo"))

    return ask


def _tree(repo_id: str, folder: Any) -> Iterator[Any]:
    """Return no entries; raise an error for a folder, as it does not exist."""
    if folder:
        raise errors().LocalEntryNotFoundError(f"{folder} is not in {repo_id}")
    return iter(())


def _info(kind: Any, repo_id: str, _: Any) -> Any:
    return kind(id=repo_id, **_EMPTY)


MODULES = {"huggingface_hub.hf_api": patches}
