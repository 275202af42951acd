"""What can be learned from what agents did, unasked and without a model."""
