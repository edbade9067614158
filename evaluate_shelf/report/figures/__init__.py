"""Figures of a report: what they show, how they are drawn, and the data behind them."""
