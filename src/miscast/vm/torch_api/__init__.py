"""Program access to torch without an op: replaced attributes, and answered queries."""
