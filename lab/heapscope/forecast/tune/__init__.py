"""The best configuration under goals: an exact search, with a proof in every answer."""
