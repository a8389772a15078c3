"""Print what makes a shell complete miscast's commands, options, formats, machines and rules.

  bash    source <(miscast completion bash)      in ~/.bashrc
  zsh     source <(miscast completion zsh)       in ~/.zshrc, behind compinit
  fish    miscast completion fish | source       in ~/.config/fish/config.fish

It is made from the commands' own parsers when it is printed: what they can do is what is completed.
"""

from __future__ import annotations

import argparse

from . import shells


def add(parser: argparse.ArgumentParser) -> None:
    """For which shell."""
    parser.add_argument("shell", choices=shells.NAMES, help="the shell that asks")


def run(options: argparse.Namespace) -> int:
    """Always 0."""
    from .arguments import described

    print(shells.script(options.shell, described()), end="")
    return 0
