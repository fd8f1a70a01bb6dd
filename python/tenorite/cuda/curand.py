"""cuRAND under CuPy's names: functions of generators and addresses, for programs that call it.

They work on the current stream. The host has no such library: `tenorite.random` makes arrays there
as well, and needs no cuRAND.
"""

from tenorite.cuda._raw.tables import Library as _Library, functions as _functions
from tenorite.cuda.stream import get_current_stream as _get_current_stream

CURAND_RNG_PSEUDO_DEFAULT, CURAND_RNG_PSEUDO_XORWOW, CURAND_RNG_PSEUDO_MRG32K3A = 100, 101, 121
CURAND_RNG_PSEUDO_MTGP32, CURAND_RNG_PSEUDO_MT19937, CURAND_RNG_PSEUDO_PHILOX4_32_10 = 141, 142, 161
CURAND_RNG_QUASI_DEFAULT, CURAND_RNG_QUASI_SOBOL32, CURAND_RNG_QUASI_SCRAMBLED_SOBOL32 = 200, 201, 202
CURAND_RNG_QUASI_SOBOL64, CURAND_RNG_QUASI_SCRAMBLED_SOBOL64 = 203, 204
CURAND_ORDERING_PSEUDO_BEST, CURAND_ORDERING_PSEUDO_DEFAULT, CURAND_ORDERING_PSEUDO_SEEDED = 100, 101, 102
CURAND_ORDERING_QUASI_DEFAULT = 201

STATUS = {
    0: "CURAND_STATUS_SUCCESS",
    100: "CURAND_STATUS_VERSION_MISMATCH",
    101: "CURAND_STATUS_NOT_INITIALIZED",
    102: "CURAND_STATUS_ALLOCATION_FAILED",
    103: "CURAND_STATUS_TYPE_ERROR",
    104: "CURAND_STATUS_OUT_OF_RANGE",
    105: "CURAND_STATUS_LENGTH_NOT_MULTIPLE",
    106: "CURAND_STATUS_DOUBLE_PRECISION_REQUIRED",
    201: "CURAND_STATUS_LAUNCH_FAILURE",
    202: "CURAND_STATUS_PREEXISTING_FAILURE",
    203: "CURAND_STATUS_INITIALIZATION_FAILED",
    204: "CURAND_STATUS_ARCH_MISMATCH",
    999: "CURAND_STATUS_INTERNAL_ERROR",
}


class CURANDError(RuntimeError):
    """cuRAND reported a failure; ``status`` is its number."""

    def __init__(self, status):
        self.status = status
        super().__init__(STATUS.get(status, f"CURAND_STATUS_{status}"))

    def __reduce__(self):
        return type(self), (self.status,)


def check_status(status):
    """Raises CURANDError for the number of a failure."""
    if status != 0:
        raise CURANDError(status)


def _begin(generator):
    """Work goes to the current stream."""
    _library.call("curandSetStream", generator, _get_current_stream().ptr)


_library = _Library("curand", check_status, instead="there tenorite.random makes arrays")
_SETTINGS = """
createGenerator: curandCreateGenerator: >p rng_type
destroyGenerator: curandDestroyGenerator: generator
getVersion: curandGetVersion: >i
setStream: curandSetStream: generator stream
setPseudoRandomGeneratorSeed: curandSetPseudoRandomGeneratorSeed: generator seed
setGeneratorOffset: curandSetGeneratorOffset: generator offset
setGeneratorOrdering: curandSetGeneratorOrdering: generator order
"""
_TABLE = """
generate: curandGenerate: generator outputPtr num
generateLongLong: curandGenerateLongLong: generator outputPtr num
generateUniform: curandGenerateUniform: generator outputPtr num
generateUniformDouble: curandGenerateUniformDouble: generator outputPtr num
generateNormal: curandGenerateNormal: generator outputPtr n mean:f stddev:f
generateNormalDouble: curandGenerateNormalDouble: generator outputPtr n mean:d stddev:d
generateLogNormal: curandGenerateLogNormal: generator outputPtr n mean:f stddev:f
generateLogNormalDouble: curandGenerateLogNormalDouble: generator outputPtr n mean:d stddev:d
generatePoisson: curandGeneratePoisson: generator outputPtr n lam:d
"""
_made = _functions(_library, _SETTINGS, __name__)
_library.begin = _begin
_made |= _functions(_library, _TABLE, __name__)
globals().update(_made)

__all__ = ["CURANDError", "STATUS", "check_status", *_made, *(_name for _name in dir() if _name.startswith("CURAND_"))]
