"""Other runs of a trace, as plausible as the recorded one, and the share of them that goes well."""
