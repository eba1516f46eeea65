"""How a judge works: measures, the tables they compare, intervals, nulls, the one encoder and distance."""
