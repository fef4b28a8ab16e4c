"""Derivative rules for your own functions. There is nothing to import yet."""
