"""How a facet is asked: one module a formulation, each with `predict` and `score`.

`predict` asks the model and gives one row an item; `score` computes every metric from these rows
and the release's labels alone. `registry.FORMULATIONS` finds the module of a task.
"""
