"""What the magic says of a line that it does not take."""

from __future__ import annotations

import pytest

error = pytest.importorskip("IPython.core.error")

from miscast.integrations import jupyter  # noqa: E402


class Shell:
    """As far as a magic is brought to it."""

    def register_magic_function(self, function, **_):
        self.magic = function


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("chekc --machine v100", "%miscast: unknown command 'chekc': expected check, explain, lint"),
        ("", "%miscast: no command given: expected check, explain, lint"),
        ("check", "%miscast: nothing to check: use %miscast check EXPRESSION, or %%miscast check"),
    ],
)
def test_a_line_that_no_command_takes(line, said):
    shell = Shell()
    jupyter.load(shell)
    with pytest.raises(error.UsageError) as raised:
        shell.magic(line)
    assert str(raised.value) == said
