"""A box in which files have other contents than outside, whatever reads them: the configurations of a matrix's cell."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ..core.event import Effect
    from ..running.process.everywhere import Names
    from ..vm.judging.recorder import Recorder
    from ..vm.outside import Outside


class Furnished:
    """Another box, and the files, by path, that are written once it is entered: outside they stay what they are."""

    def __init__(self, box: Outside, contents: Mapping[str, bytes]) -> None:
        """Keep the contents without writing them yet."""
        self.files = box.files
        self._box, self._contents = box, contents

    @contextmanager
    def entered(self, recorder: Recorder) -> Iterator[Names]:
        """Enter that sandbox and write the files within the block."""
        with self._box.entered(recorder) as names:
            for path, content in self._contents.items():
                # whole at once: other ranks, which write the same, may be reading
                whole = f"{path}.{os.getpid()}"
                with open(whole, "wb") as file:
                    file.write(content)
                os.replace(whole, path)
            yield names

    def sealed(self) -> AbstractContextManager[None]:
        """Return the sealing context of that sandbox."""
        return self._box.sealed()

    def effects(self) -> tuple[Effect, ...]:
        """Return the effects of that sandbox."""
        return self._box.effects()
