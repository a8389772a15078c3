"""Print a completion script for miscast's commands, options, formats, machines and rules.

  bash    source <(miscast completion bash)      in ~/.bashrc
  zsh     source <(miscast completion zsh)       in ~/.zshrc, after compinit
  fish    miscast completion fish | source       in ~/.config/fish/config.fish

The script is generated from the installed version: print it again after an upgrade.
"""

from __future__ import annotations

import argparse

from . import shells


def add(parser: argparse.ArgumentParser) -> None:
    """Add the argument that names the shell."""
    parser.add_argument("shell", choices=shells.NAMES, help="shell")


def run(options: argparse.Namespace) -> int:
    """Print the script and return 0."""
    from .arguments import described

    print(shells.script(options.shell, described()), end="")
    return 0
