"""Derivatives where other packages expect them. Each module is an extra: importing `enzyme` imports none of them."""
