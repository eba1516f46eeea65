"""What a person reads: pictures and pages, drawn from results and certificates and never from a table."""
