"""The requests, with their arguments, that a program without a network may make of the hub reader."""

from __future__ import annotations

_REPO = ("repo_id", "repo_type", "revision", "token", "endpoint", "etag_timeout")
FUNCTIONS = {
    "hf_hub_download": (*_REPO, "filename", "subfolder"),
    "snapshot_download": (*_REPO, "allow_patterns", "ignore_patterns"),
    "request": ("method", "url", "headers", "body"),
    "torch_hub": ("url",),
}
"""Requests by name, with their arguments. None is a path to write to."""

QUESTION = r"/api/(models|datasets|spaces)/.+/paths-info/[^/]+"
"""The paths of the Hub where a POST only asks."""
