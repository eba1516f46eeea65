"""Recipe, model, where, and the folder a model is saved in; every synthesizer stands on this room."""
