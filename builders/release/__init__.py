"""From built configs to the release folder that `load_dataset` and the Hub see."""
