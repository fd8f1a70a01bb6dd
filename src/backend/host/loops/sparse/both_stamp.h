/* Stamps the loops that compute for both types of indexes: V and STAMPED, its name. */
#define I int32_t
#define INDEX(name) name##_narrow
#define N(name) TN_PASTE(name##_narrow_, STAMPED)
#include "backend/host/loops/sparse/value_stamp.h"
#undef INDEX
#define I int64_t
#define INDEX(name) name##_wide
#define N(name) TN_PASTE(name##_wide_, STAMPED)
#include "backend/host/loops/sparse/value_stamp.h"
#undef INDEX
#undef V
#undef STAMPED
