"""The heaps of a log's last state, as far as its lines tell them, and requests tried on them."""
