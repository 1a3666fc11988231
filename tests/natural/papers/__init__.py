"""Networks written from their papers, in the style of PyTorch, before any of them was tried against
the compiler; nothing in them was changed since but how their lines break, and imports that nothing
used."""
