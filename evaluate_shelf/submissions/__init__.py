"""What strangers send: runs and names of models, checked, kept and decided on."""
