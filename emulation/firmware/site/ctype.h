/* For cJSON. */
#ifndef FIRMWARE_CTYPE_H
#define FIRMWARE_CTYPE_H

int tolower(int letter);

#endif
