"""The best configuration under needs: an exact search, with a proof in every answer."""
