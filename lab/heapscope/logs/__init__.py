"""A device's log, read and answered; and a device that is followed while it runs."""
