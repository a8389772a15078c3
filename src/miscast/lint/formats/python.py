"""Literal settings in Python code: calls such as `Trainer(precision=16)`, and switches, from the syntax tree.

A name that the file binds once to a literal counts as that literal; every other expression is unknown.
"""

from __future__ import annotations

import ast
import itertools
from collections.abc import Iterator, Mapping
from types import NoneType

from ...core.syntax import dotted, last_name
from ..setting import Document, Entry, Lines, Place, Unknown, UnreadableError, Value
from . import modules

SUFFIXES = (".py",)
_CALLS = frozenset({
    "Trainer", "Fabric", "LightningCLI", "Accelerator", "_reset_state", "TrainingArguments",
    "Seq2SeqTrainingArguments", "BitsAndBytesConfig", "TorchAoConfig", "QuantoConfig", "LoraConfig",
    "AdaLoraConfig", "MixedPrecision", "MixedPrecisionPolicy", "FullyShardedDataParallel", "FSDP", "fully_shard",
    "autocast", "GradScaler", "ShardedGradScaler", "from_pretrained", "FSDPStrategy", "DeepSpeedStrategy",
    "ModelParallelStrategy", "DeepSpeedPlugin", "FullyShardedDataParallelPlugin", "AutocastKwargs",
    "get_peft_model", "initialize", "set_float32_matmul_precision", "SFTConfig", "DPOConfig", "GRPOConfig",
    "RewardConfig", "KTOConfig", "ORPOConfig", "PPOConfig", "CPOConfig", "RLOOConfig", "OnlineDPOConfig",
    "prepare_model_for_kbit_training", "LLM", "MegatronMixedPrecision", "bf16_mixed", "fp16_mixed",
    "bf16_with_fp8_mixed", "fp16_with_fp8_mixed", "bf16_with_mxfp8_mixed", "fp16_with_mxfp8_mixed",
    "TrainingConfig", "ParallelismConfig",
})  # fmt: skip
_WRITTEN = tuple(_CALLS)
_TOLD = _CALLS | {"backward"}
"""Also calls that set nothing, and show that a program trains. A file with only these is not read."""
_SWITCHES = {
    "torch.backends.cuda.matmul.allow_tf32",
    "torch.backends.cudnn.allow_tf32",
    "torch.backends.fp32_precision",
    "torch.backends.cuda.matmul.fp32_precision",
    "torch.backends.cuda.matmul.allow_fp16_reduced_precision_reduction",
    "torch.backends.cuda.matmul.allow_bf16_reduced_precision_reduction",
}
_DEEPEST = 20
_POSITIONAL = {
    "autocast": ("device_type", "dtype"),
    "set_float32_matmul_precision": ("precision",),
}


def worthwhile(text: str) -> bool:
    """Check whether a file that was not named may have a setting, as parsing takes longer."""
    # one check per bracket: searching each name takes several times as long
    before_brackets = text.split("(")[:-1]
    return (
        any(before.endswith(_WRITTEN) for before in before_brackets)
        or "allow_tf32" in text
        or "fp32_precision" in text
        or "os.environ[" in text
        or "\ndtype = " in text
        or "AmpOptimWrapper" in text
    )


def read(lines: Lines, text: str) -> Iterator[Document]:
    """Yield a configuration's assignments, each call that sets a precision, and the environment that the code sets."""
    tree = _parsed(text)
    nodes = modules.nodes(tree)
    code = _Code(lines, modules.bound_once(tree, nodes), modules.imports(nodes))
    called = _TOLD - _own(tree)
    if modules.is_configuration(tree):
        yield code.configuration()
    yield from (
        code.call(node)
        for node in nodes
        if isinstance(node, ast.Call)
        and last_name(node.func)
        in (called if isinstance(node.func, ast.Name) else _TOLD)
    )
    assignments = [
        node
        for node in nodes
        if isinstance(node, ast.Assign) and len(node.targets) == 1
    ]
    yield from itertools.chain.from_iterable(map(code.switch, assignments))
    environment = tuple(itertools.chain.from_iterable(map(code.variable, assignments)))
    if environment:
        yield Document(
            origin="environment",
            file=lines.file,
            entries=environment,
            loaded=modules.imported(tree, "torch"),
        )


def _parsed(text: str) -> ast.Module:
    try:
        return ast.parse(text)
    except SyntaxError as error:
        raise UnreadableError(error.msg, error.lineno or 0, error.offset or 0) from None
    except (ValueError, MemoryError) as error:
        raise UnreadableError(str(error)) from None


def _own(tree: ast.Module) -> frozenset[str]:
    """Return the names that a file defines itself: its `class Trainer` is no library's, unless it inherits from one."""
    return frozenset(
        node.name
        for node in tree.body
        if isinstance(node, (ast.ClassDef, ast.FunctionDef))
        and not any(last_name(base) in _CALLS for base in getattr(node, "bases", ()))
    )


class _Code:
    """Converts expressions of a file to entries; `names` are the names of literals."""

    __slots__ = ("_imports", "_lines", "_names")

    def __init__(
        self, lines: Lines, names: Mapping[str, ast.expr], imports: Mapping[str, str]
    ) -> None:
        self._lines, self._names, self._imports = lines, names, imports

    def call(self, node: ast.Call) -> Document:
        """Return a call with its arguments by name; positional ones are "@0", "@1"."""
        at, name = self._place(node), dotted(node.func)
        words = dict(enumerate(_POSITIONAL.get(name.rpartition(".")[2], ())))
        entries: list[Entry] = []
        for index, argument in enumerate(node.args):
            entries += self._entries((words.get(index, f"@{index}"),), argument)
        for keyword in node.keywords:
            if keyword.arg:
                entries += self._entries((keyword.arg,), keyword.value)
            else:
                value = Unknown(text=ast.unparse(keyword.value))
                entries.append(Entry(key=("**",), value=value, text="", at=at))
        return Document(
            origin="call",
            file=self._lines.file,
            entries=tuple(entries),
            name=name,
            at=at,
            group=node.lineno,
            module=self._imports.get(name.partition(".")[0], ""),
        )

    def configuration(self) -> Document:
        """Yield the literals of a module's names that are bound once; `dict(…)` counts as a literal."""
        entries = [
            entry
            for name, value in self._names.items()
            for entry in self._entries((name,), value)
        ]
        return Document(origin="file", file=self._lines.file, entries=tuple(entries))

    def switch(self, node: ast.Assign) -> Iterator[Document]:
        """Yield `torch.backends.… = value` as a call of that name."""
        name = dotted(node.targets[0])
        if name in _SWITCHES:
            yield Document(
                origin="call",
                file=self._lines.file,
                entries=tuple(self._entries(("value",), node.value)),
                name=name,
                at=self._place(node),
            )

    def variable(self, node: ast.Assign) -> Iterator[Entry]:
        """Yield the variables that `os.environ[…] = …` sets."""
        target = node.targets[0]
        if isinstance(target, ast.Subscript) and dotted(target.value) == "os.environ":
            yield from self._entries((str(self._value(target.slice)),), node.value)

    def _entries(
        self, key: tuple[str, ...], node: ast.expr, depth: int = 0
    ) -> Iterator[Entry]:
        # deeper, names in names would multiply
        if isinstance(node, ast.Name) and depth == 0:
            node = self._names.get(node.id, node)
        parts = _parts(node) if depth < _DEEPEST else None
        if parts is None:
            place = self._place(node)
            text = place.code[place.column - 1 : place.end - 1] if place.end else ""
            yield Entry(key=key, value=self._value(node), text=text, at=place)
        for name, part in parts or ():
            yield from self._entries((*key, name), part, depth + 1)

    def _value(self, node: ast.expr) -> Value:
        for _ in range(_DEEPEST):
            if isinstance(node, ast.Name):
                node = self._names.get(node.id, node)
        if isinstance(node, ast.Constant) and isinstance(
            node.value, (str, int, float, bool, NoneType)
        ):
            return node.value
        if (
            isinstance(node, ast.UnaryOp)
            and isinstance(node.op, ast.USub)
            and isinstance(node.operand, ast.Constant)
        ):
            number = node.operand.value
            return -number if isinstance(number, (int, float)) else Unknown(text="-…")
        return _written(node)

    def _place(self, node: ast.expr | ast.stmt) -> Place:
        end = node.end_col_offset or 0
        return self._lines.bytes(
            node.lineno - 1,
            node.col_offset,
            end if node.end_lineno == node.lineno else 0,
        )


def _parts(node: ast.expr) -> list[tuple[str, ast.expr]] | None:
    """Return the members of a dictionary, a list or a tuple, by key or index; None for any other expression."""
    match node:
        case ast.Dict(keys=keys, values=values):
            pairs = zip(keys, values, strict=True)
            named = [
                (k.value, value) for k, value in pairs if isinstance(k, ast.Constant)
            ]
            return [(str(name), value) for name, value in named]
        case ast.Call(func=func, args=[], keywords=words) if dotted(func) == "dict":
            return [(word.arg, word.value) for word in words if word.arg]
        case ast.List(elts=items) | ast.Tuple(elts=items):
            return [(str(index), item) for index, item in enumerate(items)]
    return None


def _written(node: ast.expr) -> Value:
    """Return a name of torch as text; any other expression is unknown, with its spelling."""
    if isinstance(node, ast.Call):
        return Unknown(text=f"{dotted(node.func)}(…)")
    name = dotted(node)
    return (
        name if name.startswith("torch.") else Unknown(text=name or type(node).__name__)
    )
