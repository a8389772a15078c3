"""Literal settings in Python code: calls such as `Trainer(precision=16)`, and switches; read off the syntax tree.

A name that the file binds once to a literal counts as that literal; every other expression is unknown.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence

from ..setting import Document, Entry, Lines, Place, Unknown, UnreadableError, Value

SUFFIXES = (".py",)
_CALLS = {
    "Trainer", "Fabric", "LightningCLI", "Accelerator", "_reset_state", "TrainingArguments", "Seq2SeqTrainingArguments",
    "BitsAndBytesConfig", "TorchAoConfig", "QuantoConfig", "LoraConfig", "AdaLoraConfig", "MixedPrecision",
    "MixedPrecisionPolicy", "FullyShardedDataParallel", "FSDP", "fully_shard", "autocast", "GradScaler",
    "ShardedGradScaler",
    "from_pretrained", "FSDPStrategy", "DeepSpeedStrategy", "ModelParallelStrategy", "DeepSpeedPlugin",
    "FullyShardedDataParallelPlugin", "AutocastKwargs", "get_peft_model", "initialize", "set_float32_matmul_precision",
    "SFTConfig", "DPOConfig", "GRPOConfig", "RewardConfig", "KTOConfig", "ORPOConfig", "PPOConfig", "CPOConfig",
    "RLOOConfig", "OnlineDPOConfig", "prepare_model_for_kbit_training",
}  # fmt: skip
_SWITCHES = {
    "torch.backends.cuda.matmul.allow_tf32", "torch.backends.cudnn.allow_tf32",
    "torch.backends.fp32_precision", "torch.backends.cuda.matmul.fp32_precision",
    "torch.backends.cuda.matmul.allow_fp16_reduced_precision_reduction",
    "torch.backends.cuda.matmul.allow_bf16_reduced_precision_reduction",
}  # fmt: skip
_POSITIONAL = {"autocast": ("device_type", "dtype"), "set_float32_matmul_precision": ("precision",)}


def worthwhile(text: str) -> bool:
    """Whether a file that nobody named can hold a setting at all: parsing costs more than looking."""
    return any(f"{name}(" in text for name in _CALLS) or "allow_tf32" in text or "os.environ[" in text


def read(lines: Lines, text: str) -> Iterator[Document]:
    """One document per call that sets a precision; then the environment that the code sets."""
    try:
        tree = ast.parse(text)
    except SyntaxError as error:
        raise UnreadableError(error.msg, error.lineno or 0, error.offset or 0) from None
    except (ValueError, MemoryError) as error:
        raise UnreadableError(str(error)) from None
    nodes = [node for node in ast.walk(tree) if isinstance(node, (ast.Call, ast.Assign, ast.Name, ast.arg))]
    calls = [node for node in nodes if isinstance(node, ast.Call) and _callee(node) in _CALLS]
    names = _bound_once(tree, nodes)
    for call in calls:
        yield _call(lines, call, _dotted(call.func), names)
    environment: list[Entry] = []
    for node in nodes:
        if isinstance(node, ast.Assign) and len(node.targets) == 1:
            target = node.targets[0]
            if (name := _dotted(target)) in _SWITCHES:
                entries = tuple(_entries(lines, ("value",), node.value, names))
                yield Document(origin="call", file=lines.file, entries=entries, name=name, at=_place(lines, node))
            elif isinstance(target, ast.Subscript) and _dotted(target.value) == "os.environ":
                key = _value(target.slice, names)
                environment += _entries(lines, (str(key),), node.value, names)
    if environment:
        entries = tuple(environment)
        yield Document(origin="environment", file=lines.file, entries=entries, loaded=_imported(tree, "torch"))


def _imported(tree: ast.Module, library: str) -> int:
    """The first line of the module itself that imports a library, or a part of it; 0 if there is none."""
    for statement in tree.body:
        names = [alias.name for alias in statement.names] if isinstance(statement, ast.Import) else []
        if isinstance(statement, ast.ImportFrom) and statement.level == 0:
            names = [statement.module or ""]
        if any(name.partition(".")[0] == library for name in names):
            return statement.lineno
    return 0


def _callee(node: ast.Call) -> str:
    return node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")


def _call(lines: Lines, node: ast.Call, name: str, names: dict[str, ast.expr]) -> Document:
    entries: list[Entry] = []
    words = _POSITIONAL.get(name.rpartition(".")[2], ())
    for index, argument in enumerate(node.args):
        key = words[index] if index < len(words) else f"@{index}"
        entries += _entries(lines, (key,), argument, names)
    for keyword in node.keywords:
        if keyword.arg:
            entries += _entries(lines, (keyword.arg,), keyword.value, names)
        else:
            entries.append(
                Entry(key=("**",), value=Unknown(text=ast.unparse(keyword.value)), text="", at=_place(lines, node))
            )
    return Document(
        origin="call", file=lines.file, entries=tuple(entries), name=name, at=_place(lines, node), group=node.lineno
    )


def _entries(
    lines: Lines, key: tuple[str, ...], node: ast.expr, names: dict[str, ast.expr], depth: int = 0
) -> Iterator[Entry]:
    if isinstance(node, ast.Name) and node.id in names and depth == 0:  # deeper, names in names would multiply
        node = names[node.id]
    if isinstance(node, ast.Dict) and depth < 20:
        for name, value in zip(node.keys, node.values, strict=True):
            if isinstance(name, ast.Constant):
                yield from _entries(lines, (*key, str(name.value)), value, names, depth + 1)
    elif isinstance(node, (ast.List, ast.Tuple)) and depth < 20:
        for index, item in enumerate(node.elts):
            yield from _entries(lines, (*key, str(index)), item, names, depth + 1)
    else:
        place = _place(lines, node)
        text = place.code[place.column - 1 : place.end - 1] if place.end else ""
        yield Entry(key=key, value=_value(node, names), text=text, at=place)


def _value(node: ast.expr, names: dict[str, ast.expr], depth: int = 0) -> Value:
    if isinstance(node, ast.Name) and node.id in names and depth < 20:
        return _value(names[node.id], names, depth + 1)
    if isinstance(node, ast.Constant) and (node.value is None or isinstance(node.value, (str, int, float, bool))):
        return node.value
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub) and isinstance(node.operand, ast.Constant):
        number = node.operand.value
        return -number if isinstance(number, (int, float)) else Unknown(text="-…")
    name = _dotted(node)
    if name.startswith("torch."):
        return name
    if isinstance(node, ast.Call):
        return Unknown(text=f"{_dotted(node.func)}(…)")
    return Unknown(text=name or type(node).__name__)


def _bound_once(tree: ast.Module, nodes: Sequence[ast.AST]) -> dict[str, ast.expr]:
    """The names of the module that are bound exactly once in the file, to a literal."""
    counts: dict[str, int] = {}
    for node in nodes:
        name = node.id if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load) else ""
        name = node.arg if isinstance(node, ast.arg) else name
        if name:
            counts[name] = counts.get(name, 0) + 1
    found = {}
    for statement in tree.body:
        if isinstance(statement, ast.Assign) and len(statement.targets) == 1:
            target = statement.targets[0]
            if isinstance(target, ast.Name) and counts[target.id] == 1:
                found[target.id] = statement.value
    return found


def _dotted(node: ast.expr) -> str:
    parts: list[str] = []
    while isinstance(node, ast.Attribute):
        parts.insert(0, node.attr)
        node = node.value
    if isinstance(node, ast.Name):
        return ".".join((node.id, *parts))
    return ".".join(("", *parts)) if parts else ""


def _place(lines: Lines, node: ast.expr | ast.stmt) -> Place:
    end = node.end_col_offset or 0
    return lines.bytes(node.lineno - 1, node.col_offset, end if node.end_lineno == node.lineno else 0)
