"""One file with everything that is shown of models: scores, comparisons, costs and transfer.

`building.aggregate_of` makes it from runs and releases; `file.write_aggregate` writes it and
`file.read_aggregate` reads it again, from the disk or from a dataset repository of the Hub.
"""
