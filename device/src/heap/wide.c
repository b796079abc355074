/* The wide and the word-only form, where they are apart from the small one: 32-bit bins, so that no access
 * is narrower, and no slots. */
#include "forms.h"

#if HS_FORMS_APART

#define HS_NAME HS_WIDENED
#define HS_IS_WIDE(heap) true

#define HS_BIN_STEPS 5 /* of hs_bin_of, up to HS_WIDE_MAX */

#include "operations.h"

#endif
