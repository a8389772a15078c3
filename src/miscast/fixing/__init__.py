"""Fixes: the edits that are proposed, their words, and the reruns that verify them."""
