/* Loops on f16 and bf16. */
#include "backend/host/loops/elementwise/half_block.h"

enum { BLOCK = 1024, OPERANDS = 5 };

#define D f16
#define INFINITE 0x7c00
#define CASE_f16 OWN
#include "backend/host/loops/elementwise/half_stamp.h"

#define D bf16
#define INFINITE 0x7f80
#define CASE_bf16 OWN
#include "backend/host/loops/elementwise/half_stamp.h"
