"""Small helpers that every layer may use and that know nothing of this project.

`ordered` has containers whose iteration order never depends on hashes, `timing` has stage timers
that cost next to nothing while nobody listens.
"""
