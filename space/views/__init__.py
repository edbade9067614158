"""What of the site is rendered when it is built: pages, tables, and the data that pages read."""
