/* Includes the file STAMP once for every dtype whose storage form is its working form (all but the
 * halves), with D the suffix and, for complex numbers, PART_TYPE the type of a part; STAMP
 * undefines them. */
#define D b8
#include STAMP

#define D i8
#include STAMP

#define D u8
#include STAMP

#define D i16
#include STAMP

#define D u16
#include STAMP

#define D i32
#include STAMP

#define D u32
#include STAMP

#define D i64
#include STAMP

#define D u64
#include STAMP

#define D f32
#include STAMP

#define D f64
#include STAMP

#define D c64
#define PART_TYPE float
#include STAMP

#define D c128
#define PART_TYPE double
#include STAMP

#undef STAMP
