"""Read a Hydra program's options from its configuration folder. Nothing is composed or run.

    @hydra.main(config_path="conf", config_name="config")      conf/precision/{fp16,bf16}.yaml, conf/config.yaml:
    def main(cfg): …                                            defaults: [precision: bf16]     trainer: {amp: false}

are `precision=fp16`, `precision=bf16` (the default) and `trainer.amp=true`.
"""

from __future__ import annotations

import ast
import os
from collections.abc import Iterator, Mapping
from itertools import islice

from ...core.syntax import last_name, nodes_of
from .option import Option

_LARGEST = 1 << 18
_MOST = 1000
_SUFFIXES = (".yaml", ".yml")


def offered(tree: ast.Module, script: str) -> Iterator[Option]:
    """Yield the groups of configurations, and the boolean keys of the first one."""
    for folder, name in _started(tree):
        at = os.path.join(os.path.dirname(script), folder)
        whole = _read(at, name)
        yield from _groups(at, _defaults(whole))
        yield from _switches(whole)


def _started(tree: ast.Module) -> Iterator[tuple[str, str]]:
    """Yield the folder and the name of the configuration of each function that Hydra starts."""
    keys = ("config_path", "config_name")
    for node in nodes_of(tree, ast.FunctionDef):
        for one in node.decorator_list:
            if isinstance(one, ast.Call) and "hydra" in ast.unparse(one.func):
                given = dict(zip(keys, one.args, strict=False))
                given |= {word.arg: word.value for word in one.keywords if word.arg}
                path, name = map(_text, map(given.get, keys))
                if last_name(one.func) == "main" and path and name:
                    yield path, name


def _groups(folder: str, chosen: Mapping[str, str]) -> Iterator[Option]:
    """Yield each subfolder of the configurations as a group; its files are the choices."""
    for at, _, files in islice(os.walk(folder), _MOST):
        group = os.path.relpath(at, folder).replace(os.sep, "/")
        names = sorted(
            stem for stem, end in map(os.path.splitext, files) if end in _SUFFIXES
        )
        if group != "." and names:
            yield Option(
                names=(group,), choices=tuple(names), default=chosen.get(group)
            )


def _switches(whole: object, above: str = "") -> Iterator[Option]:
    """Yield the boolean keys, by their paths."""
    if isinstance(whole, Mapping):
        for key, value in whole.items():
            name = f"{above}{key}"
            if isinstance(value, bool):
                other = str(not value).lower()
                yield Option(
                    names=(name,), choices=(other,), default=str(value).lower()
                )
            elif above.count(".") < 4:
                yield from _switches(value, f"{name}.")


def _defaults(whole: object) -> Mapping[str, str]:
    listed = whole.get("defaults") if isinstance(whole, Mapping) else None
    return {
        str(group).removeprefix("override ").removeprefix("/"): str(choice)
        for one in (listed if isinstance(listed, list) else ())
        if isinstance(one, Mapping)
        for group, choice in one.items()
    }


def _read(folder: str, name: str) -> object:
    import yaml

    for suffix in ("", *_SUFFIXES):
        path = os.path.join(folder, f"{name}{suffix}")
        try:
            if os.path.isfile(path) and os.path.getsize(path) <= _LARGEST:
                with open(path, encoding="utf-8") as file:
                    text = file.read()
                # an alias could stand for a thousand others
                return None if "*" in text and "&" in text else yaml.safe_load(text)
        except (OSError, ValueError, yaml.YAMLError, RecursionError):
            return None
    return None


def _text(node: ast.expr | None) -> str:
    return str(node.value) if isinstance(node, ast.Constant) else ""
