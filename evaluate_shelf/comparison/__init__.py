"""Which models differ on a task, from what their runs kept of every item.

`compare.compare_models` takes runs and the release that they were scored on; `outcomes` reads what
is compared, `results` is what comes out, `words` puts it into a table for a terminal.
"""
