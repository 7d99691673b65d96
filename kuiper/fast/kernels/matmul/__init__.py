"""Matrix products and what is built from them: linear layers, attention, embeddings."""
