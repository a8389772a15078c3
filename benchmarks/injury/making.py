"""Every fault that can be made in a source: one change of its syntax tree each. It is made only when it is drawn."""

from __future__ import annotations

from dataclasses import dataclass

import libcst as cst
from libcst import metadata

from . import dropping, straying, swapping
from .injury import Injury
from .learned import Learned
from .spelled import Change, Place


@dataclass(frozen=True, slots=True, kw_only=True)
class Site:
    """A change that can be made in a file, in a statement of the lines `first` to `last`."""

    file: str
    source: str
    tree: cst.Module
    change: Change
    first: int
    last: int

    def injury(self) -> Injury | None:
        """The change made; None if it changes nothing."""
        changed = self.tree.deep_replace(self.change.node, self.change.replacement)
        assert isinstance(changed, cst.Module)
        text = changed.code
        if text == self.source:
            return None
        lines, before = text.splitlines(), self.source.splitlines()
        last = self.last + len(lines) - len(before)
        return Injury(
            kind=self.change.kind,
            about=self.change.about,
            file=self.file,
            first=self.first,
            last=last,
            original="\n".join(before[self.first - 1 : self.last]),
            injured="\n".join(lines[self.first - 1 : last]),
            source=text,
        )


def sites(file: str, source: str, learned: Learned) -> list[Site]:
    """All of them, in the order of the source."""
    wrapper = metadata.MetadataWrapper(cst.parse_module(source))
    visitor = _Visitor(file, source, learned, wrapper)
    wrapper.module.visit(visitor)
    return visitor.found


class _Visitor(cst.CSTVisitor):
    """Asks each way of making faults about each node, and keeps the statement and the function that it is in."""

    def __init__(self, file: str, source: str, learned: Learned, wrapper: metadata.MetadataWrapper) -> None:
        super().__init__()
        self.found: list[Site] = []
        self._file = file
        self._source = source
        self._learned = learned
        self._positions = wrapper.resolve(metadata.PositionProvider)
        self._parents = wrapper.resolve(metadata.ParentNodeProvider)
        self._functions = ["<module>"]
        self._statements: list[cst.CSTNode] = []
        self._module = wrapper.module

    def on_visit(self, node: cst.CSTNode) -> bool:
        if isinstance(node, (cst.FunctionDef, cst.Lambda, cst.GeneratorExp, cst.ListComp, cst.DictComp)):
            self._functions.append(node.name.value if isinstance(node, cst.FunctionDef) else "<inner>")
        if isinstance(node, (cst.BaseSmallStatement, cst.BaseCompoundStatement)):
            self._statements.append(node)
        place = Place(
            file=self._file,
            function=self._functions[-1],
            learned=self._learned,
            statement=self._statements[-1] if self._statements else None,
            parent=self._parents.get(node),
            code=self._module.code_for_node,
        )
        for way in (dropping.changes, swapping.changes, straying.changes):
            for change in way(node, place):
                first, last = self._lines(node, change)
                self.found.append(
                    Site(file=self._file, source=self._source, tree=self._module, change=change, first=first, last=last)
                )
        return True

    def on_leave(self, original_node: cst.CSTNode) -> None:
        if isinstance(original_node, (cst.FunctionDef, cst.Lambda, cst.GeneratorExp, cst.ListComp, cst.DictComp)):
            self._functions.pop()
        if self._statements and self._statements[-1] is original_node:
            self._statements.pop()

    def _lines(self, node: cst.CSTNode, change: Change) -> tuple[int, int]:
        """The lines of the small statement around the node; of a compound one its head, or all, if it is the fault."""
        statement = self._statements[-1] if self._statements else node
        span = self._positions[statement]
        if isinstance(statement, cst.BaseCompoundStatement) and not change.whole:
            own = self._positions[change.node]
            return own.start.line, own.end.line
        return span.start.line, span.end.line

