"""Derivatives that outlive the process: what they were made from, what they were made by, and where they are kept.

A derivative on disk is found by a digest of everything that went into it (`fingerprint`, `made_by`). What cannot be
told by its content is not kept, and compiled in each process as before.
"""
