"""A suite for each part of the memory that reads words: labelled material, a score, a threshold."""
