"""The served Space: the site's files from memory, and submissions beside them."""
