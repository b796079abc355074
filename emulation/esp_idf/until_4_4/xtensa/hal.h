#pragma once
unsigned xthal_get_ccount(void);
