/* The small form: 16-bit bins, slots of 4 and 8 bytes, regions up to HS_SMALL_MAX. Where the forms are not
 * apart, also the wide one. */
#include "forms.h"

#if HS_COMPILED

#define HS_NAME HS_SMALL
#if HS_FORMS_APART
#define HS_IS_WIDE(heap) false
#else
#define HS_IS_WIDE(heap) hs_is_wide(heap)
#endif

#include "operations.h"

#endif
