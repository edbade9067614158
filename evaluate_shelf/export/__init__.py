"""A run's scores in the forms that others read."""
