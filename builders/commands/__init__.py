"""What the commands that need a checkout do: from options to a request, and the report in words."""
