#error "ESP-IDF's own header was taken"
