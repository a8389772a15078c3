"""Classify conditions and calls by their names: which may be explored, and what work a block does."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Sequence

from ...core.event import ConditionKind
from ...core.syntax import last_name, names_in, nodes_of, texts_in

# a program was asked for it, and it decided more than this branch: forced alone it would be a state that cannot be
_PRECISION = re.compile(
    r"(?i)fp\d|bf16|tf32|half|float|double|dtype|precision|\bamp\b|autocast|scaler|cuda|cpu|device|gpu|mps|npu|xpu"
    r"|offload|quant|\dbit|deepspeed|fsdp|distributed|xformers|flash|compile"
)
_RANK = re.compile(r"(?i)(^|_)(rank|world|main|master|primary)(_|$)|is_dist")
_COUNTED = re.compile(
    r"(?i)(^|_)(steps?|epochs?|iters?|iterations?|idx|index|batch|count|counter|i|j|k|n|t|it)$"
)
_GUARDS = frozenset(
    {
        "isinstance", "issubclass", "hasattr", "callable", "is_available", "exists", "isfile", "isdir", "is_file",
        "is_dir", "is_tensor", "startswith", "endswith", "is_initialized", "is_scripting", "is_tracing", "len",
        "isnan", "isinf", "isfinite"
    }
)  # fmt: skip
_AVAILABLE = frozenset({"is_available", "is_initialized", "is_bf16_supported"})
_NO_CHOICE = frozenset({"__name__", "TYPE_CHECKING", "__debug__"})
_GUARDED = frozenset(
    {
        "__name__", "TYPE_CHECKING", "__debug__", "version", "platform", "version_info"
    }
)  # fmt: skip
_BUILTINS = frozenset(
    {
        "print", "len", "str", "int", "float", "repr", "format", "isinstance", "range", "list", "dict", "set", "tuple",
        "sum", "min", "max", "sorted", "enumerate", "zip", "any", "all", "getattr", "setattr", "hasattr", "type",
        "super", "next", "exit", "open"
    }
)  # fmt: skip
_SYSTEMS = frozenset({"nt", "posix", "win32", "darwin", "linux"})
_ASIDE = frozenset(
    {
        "append", "extend", "join", "items", "keys", "values", "get", "update", "split", "strip", "pop", "add", "exit",
        "info", "warning", "warn", "debug", "error", "log", "write", "flush", "close", "open", "format", "add_scalar",
        "add_argument", "set_description", "set_postfix", "makedirs", "mkdir", "dirname", "basename", "exists", "time",
        "perf_counter", "startswith", "endswith", "lower", "upper", "replace", "rmtree", "remove", "unlink", "dump",
        "dumps", "loads", "next"
    }
)  # fmt: skip
_LOGGERS = frozenset(
    {
        "logger", "logging", "log", "wandb", "warnings", "os", "sys", "json", "time", "writer", "tqdm", "pbar"
    }
)  # fmt: skip
_GUARDING = (ast.Is, ast.IsNot, ast.In, ast.NotIn, ast.Yield, ast.Await, ast.NamedExpr)
_ABSENT = frozenset(
    {
        "ImportError", "ModuleNotFoundError", "PackageNotFoundError", "AttributeError", "NameError", "SystemExit"
    }
)  # fmt: skip
_TENSORS = frozenset({"torch", "F", "nn", "functional"})


def kind_of(test: ast.expr, answers: frozenset[str] = frozenset()) -> ConditionKind:
    """Return the kind of a condition, as far as it is visible; `answers` are names that hold a guard's result."""
    names = set(names_in(test))
    if _is_guard(test, names) or names & answers:
        return "guard"
    if any(map(_PRECISION.search, (*names, *texts_in(test)))):
        return "precision"
    compares = any(nodes_of(test, ast.Compare))
    periodic = any(nodes_of(test, ast.Mod))
    if periodic or (compares and any(map(_COUNTED.search, names))):
        return "counter"
    ordered = any(nodes_of(test, ast.Lt, ast.LtE, ast.Gt, ast.GtE))
    return "value" if ordered or any(_of_all(test)) else "flag"


def answers_in(tree: ast.AST) -> frozenset[str]:
    """Return the names that hold nothing but whether something is there: `cuda = torch.cuda.is_available()`."""
    held: dict[str, bool] = {}
    for target, value in _assigned(tree):
        if isinstance(target, ast.Name):
            asks = isinstance(value, ast.Call) and last_name(value.func) in _AVAILABLE
            held[target.id] = held.get(target.id, True) and asks
    return frozenset(name for name, asks in held.items() if asks)


def _assigned(tree: ast.AST) -> Iterator[tuple[ast.expr, ast.expr]]:
    for node in nodes_of(tree, ast.Assign):
        for target in node.targets:
            both = target, node.value
            if all(isinstance(one, (ast.Tuple, ast.List)) for one in both):
                yield from zip(target.elts, node.value.elts, strict=False)  # type: ignore[attr-defined]
            else:
                yield both


def is_no_choice(test: ast.expr) -> bool:
    """Check whether a condition is the same in all runs that are started like this one."""
    return isinstance(test, ast.Constant) or not _NO_CHOICE.isdisjoint(names_in(test))


def is_for_what_is_absent(error: ast.expr | None) -> bool:
    """Check whether a handler is for a library, or a version of one, that is not there, or for the program's end."""
    return error is not None and not _ABSENT.isdisjoint(names_in(error))


def _is_guard(test: ast.expr, names: set[str]) -> bool:
    return (
        bool(names & _GUARDED)
        or not _SYSTEMS.isdisjoint(texts_in(test))
        or any(map(_RANK.search, (*names, *texts_in(test))))
        or any(nodes_of(test, *_GUARDING))
        or any(last_name(call.func) in _GUARDS for call in nodes_of(test, ast.Call))
        or any(isinstance(called, ast.Name) for called in _of_all(test))
    )


def _of_all(test: ast.expr) -> Iterator[ast.expr]:
    """Yield what is called as `any` or `all`: by its name of a list, as a method of a tensor's numbers."""
    for call in nodes_of(test, ast.Call):
        if last_name(call.func) in ("any", "all"):
            yield call.func


def root(node: ast.expr) -> str:
    """Return the name that a chain of attributes, items and calls begins with; "" if it begins with none."""
    while isinstance(node, (ast.Attribute, ast.Call, ast.Subscript)):
        node = node.func if isinstance(node, ast.Call) else node.value
    return getattr(node, "id", "")


def _is_aside(called: ast.expr) -> bool:
    """Check whether a call does no work on tensors; `float(x)` does none, `x.float()` does."""
    aside = _BUILTINS | _ASIDE if isinstance(called, ast.Name) else _ASIDE
    return last_name(called) in aside or root(called) in _LOGGERS


def hands_on(nodes: Sequence[ast.AST]) -> bool:
    """Check whether something gets a value there that is not written out, and may be a tensor."""
    return any(
        any(nodes_of(one.value, ast.Name))
        for node in nodes
        for one in ast.walk(node)
        if isinstance(one, (ast.Assign, ast.NamedExpr))
    )


def work_of(nodes: Sequence[ast.AST]) -> tuple[tuple[str, ...], bool]:
    """Return the calls that may work on tensors, in order, and whether torch is named."""
    calls = [call for node in nodes for call in nodes_of(node, ast.Call)]
    torch = any(
        name.id in _TENSORS for node in nodes for name in nodes_of(node, ast.Name)
    )
    names = [last_name(call.func) for call in calls if not _is_aside(call.func)]
    return tuple(dict.fromkeys(name or "…" for name in names)), torch
