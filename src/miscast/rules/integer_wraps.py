"""Integers pass the end of their dtype and begin anew at the other.

## What
A sum, difference or product of integers is beyond what their dtype holds: differences of bytes, products of int8, flat
indices in int32. With known numbers it is certain, else what the typical range says.

## Why
torch wraps around without a word: 3 - 5 is 254 in uint8.

## Example
    difference = (first - second).abs()                  # uint8

## Use instead
    difference = (first.int() - second.int()).abs()

## Fix safety
Not safe: the result has another dtype.
"""

MESSAGE = "{op} wraps around: {figures}"
HELP = {
    "": "{cast}",
    "cast": "keep {wanted}, at {where}, or clamp to the ends of the dtype first: `x.clamp(0, 255)`",
}
