"""Libraries that open files past Python: which of their functions take a path, and what they do with it.

A function is given the path of the layer's copy. A library that is not imported yet is patched as it is imported. Each
entry is an attribute by its dotted place in a module, the place of the path among its arguments (a bound one counts
`self`), the name that it has as a keyword, and what becomes of the file.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Mapping
from functools import wraps
from typing import TYPE_CHECKING, Any, NamedTuple

from ...running.process.patching import Patch
from .cpaths import How, path_for
from .sqlite import patches as sqlite

if TYPE_CHECKING:
    from .layer import Layer

Judge = Callable[[tuple[Any, ...], Mapping[str, Any]], How]


class Entry(NamedTuple):
    """`attribute` of a module takes a path as argument number `at` or by `keyword`; `how` may look at all arguments."""

    attribute: str
    at: int
    keyword: str
    how: How | Judge


def _mode(at: int, default: str) -> Judge:
    """Return a function that reads the access from an argument like `open`'s mode."""

    def how(args: tuple[Any, ...], options: Mapping[str, Any]) -> How:
        mode = str(args[at] if len(args) > at else options.get("mode", default))
        if "+" in mode or "a" in mode:
            return "change"
        if "w" in mode or "x" in mode:
            return "write"
        return "read"

    return how


def _h5(args: tuple[Any, ...], options: Mapping[str, Any]) -> How:
    flags = args[1] if len(args) > 1 else options.get("flags", 0)
    return "change" if flags else "read"  # h5f.ACC_RDONLY is 0


def _shared(args: tuple[Any, ...], options: Mapping[str, Any]) -> How:
    shared = args[1] if len(args) > 1 else options.get("shared")
    return "change" if shared else "read"


# functions that stand in a module, and in the package that takes them from there
_PARQUET = (
    Entry("write_table", 1, "where", "write"),
    Entry("read_table", 0, "source", "read"),
    Entry("read_schema", 0, "where", "read"),
    Entry("read_metadata", 0, "where", "read"),
)
_TABLE: Mapping[str, tuple[Entry, ...]] = {
    "_dbm": (Entry("open", 0, "filename", "change"),),
    "_gdbm": (Entry("open", 0, "filename", "change"),),
    "dbm.gnu": (Entry("open", 0, "filename", "change"),),
    "dbm.ndbm": (Entry("open", 0, "filename", "change"),),
    "h5py.h5f": (
        Entry("open", 0, "name", _h5), Entry("create", 0, "name", "change"), Entry("is_hdf5", 0, "name", "read"),
    ),
    "pyarrow": (
        Entry("OSFile", 0, "path", _mode(1, "r")),
        Entry("memory_map", 0, "path", _mode(1, "r")),
        Entry("create_memory_map", 0, "path", "write"),
    ),
    "pyarrow.parquet.core": (
        *_PARQUET,
        Entry("ParquetWriter.__init__", 1, "where", "write"), Entry("ParquetFile.__init__", 1, "source", "read"),
    ),
    "pyarrow.parquet": _PARQUET,
    "pyarrow.feather": (
        Entry("write_feather", 1, "dest", "write"),
        Entry("read_feather", 0, "source", "read"),
        Entry("read_table", 0, "source", "read"),
    ),
    "pyarrow.csv": (Entry("write_csv", 1, "output_file", "write"), Entry("read_csv", 0, "input_file", "read")),
    "pyarrow.json": (Entry("read_json", 0, "input_file", "read"),),
    "pyarrow.ipc": (
        Entry("new_file", 0, "sink", "write"), Entry("new_stream", 0, "sink", "write"),
        Entry("open_file", 0, "source", "read"), Entry("open_stream", 0, "source", "read"),
    ),
    "safetensors": (Entry("serialize_file", 1, "filename", "write"), Entry("safe_open", 0, "filename", "read")),
    "tokenizers": (Entry("Tokenizer.from_file", 0, "path", "read"), Entry("Tokenizer.save", 1, "path", "write")),
    "cv2": (Entry("imwrite", 0, "filename", "write"), Entry("imread", 0, "filename", "read")),
    "soundfile": (Entry("SoundFile.__init__", 1, "file", _mode(2, "r")),),
    "sentencepiece": (Entry("SentencePieceProcessor.LoadFromFile", 1, "arg", "read"),),
    "torch": (
        Entry("from_file", 0, "filename", _shared),
        Entry("UntypedStorage.from_file", 0, "filename", _shared),
    ),
    "torch._C": (
        Entry("PyTorchFileWriter", 0, "file_name", "write"),
        Entry("PyTorchFileReader", 0, "name", "read"),
        Entry("import_ir_module", 1, "filename", "read"),
    ),
    "torch.jit._script": (Entry("RecursiveScriptModule.save", 1, "f", "write"),),
    "torch.autograd.profiler": (Entry("profile.export_chrome_trace", 1, "path", "write"),),
}  # fmt: skip
NAMES = frozenset(_TABLE) | {"sqlite3"}


def patches(layer: Layer) -> Iterator[Patch]:
    """Yield the patches of the libraries that are imported."""
    for name in NAMES:
        if sys.modules.get(name) is not None:
            yield from of(layer, name)


def of(layer: Layer, name: str) -> Iterator[Patch]:
    """Yield the patches of one imported module. Names that a version lacks, or does not let be set, are left out."""
    for entry in _TABLE.get(name, ()):
        *inner, attribute = entry.attribute.split(".")
        owner = _owner(name, inner)
        raw = None if owner is None else _stored(owner, attribute, inherits=bool(inner))
        if raw is None or _immutable(owner):
            continue
        static = isinstance(raw, (staticmethod, classmethod))
        original = getattr(owner, attribute) if static else raw
        new = _redirected(layer, original, entry)
        yield Patch(owner, attribute, staticmethod(new) if static else new)
    if name == "sqlite3":
        yield from sqlite(layer)


def _owner(module: str, path: list[str]) -> Any:
    owner: Any = sys.modules[module]
    for part in path:
        owner = getattr(owner, part, None)
    return owner


def _stored(owner: Any, attribute: str, *, inherits: bool) -> Any:
    """Return an attribute as its owner has it, be it inherited, as UntypedStorage.from_file is; None if it has none."""
    raw = vars(owner).get(attribute)
    if raw is None and inherits and hasattr(owner, attribute):
        return staticmethod(getattr(owner, attribute))
    return raw


_HEAP = 1 << 9  # Py_TPFLAGS_HEAPTYPE
_IMMUTABLE = 1 << 8  # Py_TPFLAGS_IMMUTABLETYPE


def _immutable(owner: Any) -> bool:
    return isinstance(owner, type) and (
        not owner.__flags__ & _HEAP or bool(owner.__flags__ & _IMMUTABLE)
    )


def _redirected(layer: Layer, original: Any, entry: Entry) -> Any:
    def given(
        args: tuple[Any, ...], options: dict[str, Any]
    ) -> tuple[tuple[Any, ...], dict[str, Any]]:
        how = entry.how if isinstance(entry.how, str) else entry.how(args, options)
        if len(args) > entry.at:
            path = path_for(layer, args[entry.at], how)
            return (*args[: entry.at], path, *args[entry.at + 1 :]), options
        if entry.keyword in options:
            return args, {
                **options,
                entry.keyword: path_for(layer, options[entry.keyword], how),
            }
        return args, options

    if isinstance(original, type):
        return _class(layer, original, given)

    @wraps(original)
    def call(*args: Any, **options: Any) -> Any:
        if not layer.on:
            return original(*args, **options)
        args, options = given(args, options)
        return original(*args, **options)

    return call


def _class(
    layer: Layer,
    original: type,
    given: Callable[..., tuple[tuple[Any, ...], dict[str, Any]]],
) -> type:
    """Return a substitute for a class: it makes instances of the original, and accepts them as its own."""

    class Kind(type):
        def __call__(cls, *args: Any, **options: Any) -> Any:
            if layer.on:
                args, options = given(args, options)
            return original(*args, **options)

        def __instancecheck__(cls, instance: Any) -> bool:
            return isinstance(instance, original)

        def __subclasscheck__(cls, subclass: type) -> bool:
            return issubclass(subclass, original)

        def __getattr__(cls, name: str) -> Any:
            return getattr(original, name)

    return Kind(
        original.__name__,
        (),
        {"__module__": original.__module__, "__doc__": original.__doc__},
    )
