"""The synthetic slices: what is to be written, the writing in pieces, and the config of it."""
