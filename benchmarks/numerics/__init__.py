"""Programs that lose numbers in silence, each with its right form, and what is read off them."""
