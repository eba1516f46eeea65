"""Tables, schemas, and every way in and out of them."""
