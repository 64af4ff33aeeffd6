"""A run as one page that opens offline."""
