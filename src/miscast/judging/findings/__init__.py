"""Shared code of all rules: build and word findings, merge them, and group them under their causes."""
