"""The ledger of a corpus: what is ordered, what is reserved and spent, and every answer."""
