/* A barrier of all blocks of a launch, which must run at the same time: the launch is cooperative
 * (forms/program.h). */
#ifndef GRID_CUH
#define GRID_CUH

/* `arrivals` is 0 before the launch; `due` is 0 at first and each thread's own. What a thread wrote
 * before is seen by all threads after it. */
__device__ __forceinline__ void grid_wait(unsigned *arrivals, unsigned &due) {
    due += gridDim.x;
    __syncthreads();
    if (threadIdx.x == 0) {
        __threadfence();
        atomicAdd(arrivals, 1u);
        while ((int)(*(volatile unsigned *)arrivals - due) < 0) {}
        __threadfence();
    }
    __syncthreads();
}

#endif
