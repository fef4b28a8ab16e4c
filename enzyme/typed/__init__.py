"""Modes, annotations and configurations as values of numba's types."""
