"""Tests of the model server that open no socket."""
