"""Ways into a trace and out of it: importers, recorders, translations and exports."""
