"""The sections of a report, each from what is there."""
