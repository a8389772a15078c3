"""Skip calls that would change something on the Hugging Face Hub, and return their would-be results."""

from __future__ import annotations

import functools
import inspect
import re
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from miscast.running.process.patching import Patch

from .hub_reads import bound

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ..gate import Gate

_COMMITS = {
    "create_commit", "upload_file", "upload_folder", "delete_file", "delete_files", "delete_folder",
}  # fmt: skip
_REPOS = {"create_repo", "duplicate_repo", "duplicate_space"}
_WRITES = re.compile(
    r"(upload|create|delete|update|move|add|super_squash|permanently_delete|duplicate|comment|edit|hide|merge|change"
    r"|rename|request|set|pause|resume|restart|enable|disable|grant|accept|reject|cancel|unlike|like|preupload|run"
    r"|suspend|trigger|scale|sync|copy|batch|rerun)_\w+|unlike|like"
)
_NOT = {"run_as_future"}


def api(gate: Gate, module: Any) -> Iterator[Patch]:
    """Yield the methods of the client, and the functions of the same names, which are methods of one."""
    for name, method in list(vars(module.HfApi).items()):
        if (
            not inspect.isfunction(method)
            or not _WRITES.fullmatch(name)
            or name in _NOT
        ):
            continue
        written = _write(gate, module, name, method)
        yield from of_client(module, name, gate.instead(method, written))


def of_client(module: Any, name: str, made: Any) -> Iterator[Patch]:
    """Yield a method of the client, and the function of the same name, if there is one."""
    yield Patch(module.HfApi, name, made)
    if inspect.ismethod(function := vars(module).get(name)):
        yield Patch(module, name, made.__get__(function.__self__))


def _write(gate: Gate, module: Any, name: str, original: Any) -> Any:
    signature = inspect.signature(original)

    def write(self: Any, *given: Any, **named: Any) -> Any:
        arguments = bound(signature, self, *given, **named)
        endpoint = str(getattr(self, "endpoint", "") or "https://huggingface.co")
        gate.tell(_host(endpoint), name)
        if name in _REPOS:
            gate.created.add(
                str(arguments.get("to_id") or arguments.get("repo_id") or "")
            )
        result = _result(module, name, endpoint, arguments)
        if not arguments.get("run_as_future"):
            return result
        from concurrent.futures import Future

        future: Future[Any] = Future()
        future.set_result(result)
        return future

    return write


def _result(module: Any, name: str, endpoint: str, arguments: dict[str, Any]) -> Any:
    repo = str(
        arguments.get("to_id")
        or arguments.get("repo_id")
        or arguments.get("from_id")
        or ""
    )
    kind = arguments.get("repo_type") or "model"
    url = f"{endpoint}/{'' if kind == 'model' else f'{kind}s/'}{repo}"
    if name in _REPOS:
        return module.RepoUrl(url, endpoint=endpoint)
    if name in _COMMITS:
        oid = "0" * 40
        message = arguments.get("commit_message") or name.replace("_", " ")
        return module.CommitInfo(
            commit_url=f"{url}/commit/{oid}",
            commit_message=message,
            commit_description=arguments.get("commit_description") or "",
            oid=oid,
            **_pull_request(url, arguments),
        )
    return None


def _pull_request(url: str, arguments: dict[str, Any]) -> dict[str, Any]:
    return {"pr_url": f"{url}/discussions/1"} if arguments.get("create_pr") else {}


def login(gate: Gate, module: Any) -> Iterator[Patch]:
    """Patch login and logout to do nothing; the Hub and the user's stored tokens stay unchanged."""
    for name in (
        "login", "logout", "notebook_login", "interpreter_login", "auth_switch",
    ):  # fmt: skip
        if callable(original := vars(module).get(name)):
            what = original.__name__.replace("_", " ")
            told = functools.partial(_tell, gate, what)
            yield Patch(module, name, gate.instead(original, told))


def _tell(gate: Gate, what: str, *_: Any, **__: Any) -> None:
    gate.tell("huggingface.co:443", what)


def _host(endpoint: str) -> str:
    to = urlsplit(endpoint)
    return (
        to.netloc if to.port else f"{to.netloc}:{443 if to.scheme == 'https' else 80}"
    )


MODULES = {"huggingface_hub.hf_api": api, "huggingface_hub._login": login}
