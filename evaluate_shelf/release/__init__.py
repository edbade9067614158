"""The release folder: its manifest, its verification and its rows as tasks need them."""
