"""What a device's log tells of its heap."""
