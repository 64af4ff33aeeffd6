"""Vectors on a real Chroma server."""
