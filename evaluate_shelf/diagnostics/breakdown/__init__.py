"""A run's scores in parts: by length, generator, difficulty, relation and class.

`breakdown.breakdown` takes a run, the release that it was scored on, a task and what to break it
down by; `attribution.attribution` takes a release alone and says how well its generators can be
told apart by their words.
"""
