"""The loop of `shelf write`: who is asked what and when, until all is written or the cap is."""
