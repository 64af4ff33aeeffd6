"""Tests that open no socket."""
