"""Mathematics that two or more methods share: arrays in, arrays out."""
