"""Federation: rows stay at their sites, noisy differences of weights travel (paper 003).

One line of reading: `terms` (what is agreed once) -> `message` (all that travels) -> `site` (the only door to
private rows) -> `membership` and `local_training` (what is done behind it) -> `domain` (schemas and margins,
merged as they were told) -> `rounds`, `updates`, `strategies` (the server's part) -> `federation`.
"""
