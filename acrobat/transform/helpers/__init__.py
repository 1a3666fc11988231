"""What single passes are made of."""
