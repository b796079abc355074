"""The report as one HTML page: text and tables by jinja2, charts by Bokeh, nothing loaded."""
