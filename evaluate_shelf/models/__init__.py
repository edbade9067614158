"""Models: the protocol that they implement and the strings that name them."""
