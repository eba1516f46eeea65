"""Private aggregation of teacher ensembles: teachers on parts of the rows, a student who hears their votes.

One line of reading: `parts` (which teacher a row belongs to) -> `teachers` (many small networks at once) ->
`memory` (what a student was told) -> `school` (generator, student and teachers as one play) -> `votes` (the
play as one private read).
"""
