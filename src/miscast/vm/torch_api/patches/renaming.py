"""Saved files that the program moves or copies: `os.replace("last.tmp", "last.pt")`, `shutil.copyfile(last, best)`.

What is moved is a placeholder. Done as asked, it would take the place of the checkpoint of a real run.
"""

from __future__ import annotations

import os
import shutil
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ....running.process.patching import Patch, around
from ...provenance.on_behalf import theirs

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from ...machine import VirtualMachine


def patches(vm: VirtualMachine) -> Iterator[Patch]:
    """Patch `os.replace`, `os.rename`, their methods of `Path`, and `shutil.copyfile`, which the other copies call."""
    if vm.saved.boxed:  # there what is moved takes the place of a copy
        return
    for name in ("replace", "rename"):
        patch = around(os, name, _move, vm)
        yield patch
        move = patch.value
        yield Patch(
            Path,
            name,
            lambda self, target, move=move: (move(self, target), type(self)(target))[1],
        )

    def copy(copyfile: Any, src: Any, dst: Any, **options: Any) -> Any:
        if not vm.saved.has(src):
            return theirs(copyfile, src, dst, **options)
        vm.saved.copied(src, dst)
        return dst

    def copy_times(copystat: Any, src: Any, dst: Any, **options: Any) -> None:
        if not vm.saved.has(src):
            theirs(copystat, src, dst, **options)

    yield around(shutil, "copyfile", copy)
    yield around(shutil, "copystat", copy_times)


def _move(
    vm: VirtualMachine,
    original: Callable[..., None],
    src: Any,
    dst: Any,
    **options: Any,
) -> None:
    if vm.saved.has(src) and not options:
        vm.saved.moved(src, dst)
        return
    folder = os.path.isdir(src)
    theirs(original, src, dst, **options)
    if folder:
        vm.saved.folder_moved(src, dst)
