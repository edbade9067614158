"""Configs that a task needs beside a corpus: pairs."""
