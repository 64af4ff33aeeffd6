"""What outlives the state."""
