"""Tests of evals.run that open no socket."""
