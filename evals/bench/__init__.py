"""`make bench`: a long conversation's cost, beside what people would use instead."""
