"""Every word a model is told, and the layout of a request."""
