"""Weights on the Hugging Face Hub that are not in the cache: their headers are read, by ranges, and not one number.

A model of 140 GB is checked after kilobytes. The headers stand in a folder of their own that goes when the check ends,
never in the cache.
"""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING, Any

from miscast.vm.files import header_only

if TYPE_CHECKING:
    from collections.abc import Callable

_ENDING = ".safetensors"
_OTHERS = (".bin", ".pt", ".pth", ".ckpt", ".gguf", ".h5", ".msgpack", ".onnx", ".ot")
_MOST = 64 << 20
"""Bytes of a file of weights in another format up to which it is read; of a larger one nothing is: it has no header."""
_Key = tuple[str, str, str, str]


class Headers:
    """The headers that one process of the program has requested."""

    def __init__(self, folder: Callable[[], str]) -> None:
        """Start without headers; `folder` makes a folder that is removed when the check ends."""
        self._folder = folder
        self._files: dict[_Key, str] = {}

    def file(self, arguments: dict[str, Any]) -> str | None:
        """Return the path that `hf_hub_download` returns, of a file of weights; None for any other file.

        Raises what the library raises where the repository or the file is not there, and ValueError for a file of
        weights that is large and in another format.
        """
        name = arguments.get("filename")
        if arguments.get("subfolder"):
            name = f"{arguments['subfolder']}/{name}"
        if isinstance(name, str) and name.endswith(_OTHERS):
            _small(arguments, name)
        if not isinstance(name, str) or not name.endswith(_ENDING):
            return None
        key = _key(arguments, name)
        if key not in self._files:
            folder = os.fspath(
                arguments.get("local_dir") or self._snapshot(arguments, name)
            )
            self._files[key] = _written(arguments, name, folder)
        return self._files[key]

    def known(self, arguments: dict[str, Any]) -> str | None:
        """Return what `file` returned earlier, None if it was not asked."""
        return self._files.get(_key(arguments, str(arguments.get("filename"))))

    def beside(self, folder: str, arguments: dict[str, Any], names: list[str]) -> str:
        """Return a snapshot with the files of `folder`, and the headers of weights that are not there."""
        missing = [
            name
            for name in names
            if not folder or not os.path.exists(os.path.join(folder, name))
        ]
        if not missing:
            return folder
        whole = arguments.get("local_dir") or self._snapshot(arguments, missing[0])
        if folder:
            _link_all(folder, whole)
        for name in missing:
            self._files[_key(arguments, name)] = _written(arguments, name, whole)
        return os.path.normpath(whole)

    def _snapshot(self, arguments: dict[str, Any], name: str) -> str:
        """Return a folder as the library names it for this revision."""
        download = sys.modules["huggingface_hub.file_download"]
        commit = _metadata(arguments, name).commit_hash
        kept = download.repo_folder_name(
            repo_id=arguments["repo_id"],
            repo_type=arguments.get("repo_type") or "model",
        )
        return os.path.join(self._folder(), kept, "snapshots", commit)


def _link_all(folder: str, whole: str) -> None:
    """Have all files of `folder` in `whole`, too."""
    for at, _, files in os.walk(folder):
        there = os.path.join(whole, os.path.relpath(at, folder))
        os.makedirs(there, exist_ok=True)
        for file in files:
            if not os.path.lexists(os.path.join(there, file)):
                os.symlink(
                    os.path.realpath(os.path.join(at, file)), os.path.join(there, file)
                )


def _metadata(arguments: dict[str, Any], name: str) -> Any:
    """Return the metadata that the hub sends for a file by HEAD: its commit and size."""
    download = sys.modules["huggingface_hub.file_download"]
    where = {key: arguments.get(key) for key in ("repo_type", "revision", "endpoint")}
    url = download.hf_hub_url(arguments["repo_id"], name, **where)
    return download.get_hf_file_metadata(url, token=arguments.get("token"))


def _small(arguments: dict[str, Any], name: str) -> None:
    size = _metadata(arguments, name).size
    if size is not None and size > _MOST:
        raise ValueError(
            f"the file has {size / 1e9:.1f} GB, and its dtypes cannot be read from a header"
        )


def without_weights(
    arguments: dict[str, Any],
) -> tuple[dict[str, Any] | None, list[str]]:
    """Return the arguments of `snapshot_download` for the rest, if there is any, and the names of the weights."""
    hub, utils = sys.modules["huggingface_hub"], sys.modules["huggingface_hub.utils"]
    api = hub.HfApi(endpoint=arguments.get("endpoint"), token=arguments.get("token"))
    repository = {
        key: arguments.get(key) for key in ("repo_id", "repo_type", "revision")
    }
    files = api.repo_info(**repository, files_metadata=True).siblings
    wanted = {key: arguments.get(key) for key in ("allow_patterns", "ignore_patterns")}
    names = list(
        utils.filter_repo_objects([file.rfilename for file in files], **wanted)
    )
    weights = [name for name in names if name.endswith(_ENDING)]
    if weights and len(weights) == len(names):
        return None, weights
    ignored = [*_patterns(wanted["ignore_patterns"]), f"*{_ENDING}", *_large(files)]
    return {**arguments, "ignore_patterns": ignored}, weights


def _patterns(given: Any) -> list[str]:
    return [given] if isinstance(given, str) and given else list(given or ())


def _large(files: Any) -> list[str]:
    """Return large weight files in formats without a header, which are not read."""
    return [
        f.rfilename
        for f in files
        if f.rfilename.endswith(_OTHERS) and (f.size or 0) > _MOST
    ]


def _key(arguments: dict[str, Any], name: str) -> _Key:
    kind = arguments.get("repo_type") or "model"
    revision = arguments.get("revision") or "main"
    return str(arguments.get("repo_id")), str(kind), str(revision), name


def _written(arguments: dict[str, Any], name: str, folder: str) -> str:
    hub = sys.modules["huggingface_hub"]
    token, endpoint = arguments.get("token"), arguments.get("endpoint")
    where = {key: arguments.get(key) for key in ("repo_type", "revision")}
    api = hub.HfApi(endpoint=endpoint, token=token)
    read = api.parse_safetensors_file_metadata(
        arguments["repo_id"], name, token=token, **where
    )
    tensors = {
        key: {
            "dtype": one.dtype,
            "shape": list(one.shape),
            "data_offsets": list(one.data_offsets),
        }
        for key, one in read.tensors.items()
    }
    path = os.path.join(folder, name)
    header_only.write(path, tensors, read.metadata)
    return path
