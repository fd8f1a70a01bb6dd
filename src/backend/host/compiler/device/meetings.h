/* What threads of a block may meet for, and what ends a launch: text of the library, and of every
 * program of the host. */
#ifndef TNI_HOST_COMPILER_MEETINGS_H
#define TNI_HOST_COMPILER_MEETINGS_H

enum {
    TNI_BLOCK_SYNC,
    TNI_BLOCK_COUNT,
    TNI_BLOCK_AND,
    TNI_BLOCK_OR,
    TNI_GRID_SYNC,
    TNI_YIELD, /* no meeting: other threads of the block may go on */
    TNI_WARP_SYNC,
    TNI_WARP_SHUFFLE,
    TNI_WARP_BALLOT,
    TNI_WARP_ACTIVE,
    TNI_WARP_MATCH,
    TNI_WARP_ADD,
    TNI_WARP_MIN,
    TNI_WARP_MAX,
    TNI_WARP_UMIN,
    TNI_WARP_UMAX,
    TNI_WARP_AND,
    TNI_WARP_OR,
    TNI_WARP_XOR
};

/* What a failure's text is: the condition, a call, a surface. */
enum { TNI_FAIL_ASSERTION, TNI_FAIL_CALL, TNI_FAIL_SURFACE };

/* How a thread touches memory, for a kernel that is checked. */
enum { TNI_TOUCH_READ, TNI_TOUCH_WRITE, TNI_TOUCH_ATOMIC };

#endif
