/* The wide and the word-only form, where they are apart from the small one: 32-bit bins, so that no access
 * is narrower, and no slots. */
#include "forms.h"

#if HS_FORMS_APART

#define HS_NAME HS_WIDENED
#define HS_IS_WIDE(heap) true

#include "operations.h"

#endif
