"""Tables, encoder and score of the neural models, and what they start from."""
