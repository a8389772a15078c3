"""Runs a program on the virtual machine, whatever it does to itself, and tells what was seen."""
