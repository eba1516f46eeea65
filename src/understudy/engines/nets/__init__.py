"""Networks that two or more methods share."""
