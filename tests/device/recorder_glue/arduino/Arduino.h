/* Stands in for the cores' header: the same declarations of what is used here. */
#ifndef TESTS_ARDUINO_H
#define TESTS_ARDUINO_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C"
#endif
    unsigned long micros(void);

#ifdef __cplusplus
class Line
{
  public:
    void begin(unsigned long baud);
    int availableForWrite();
    size_t write(const uint8_t *bytes, size_t count);
};
extern Line Serial;
#endif

void setup(void);
void loop(void);
void serialEventRun(void);

#endif
