# Tenorite on NVIDIA GPUs, from the wheel that `make wheel ARCHS="sm_80 sm_90"` laid into dist/:
#
#     docker build -f docker/cuda.Dockerfile -t tenorite-cuda .
#     docker run --gpus all tenorite-cuda
#     docker build -f docker/cuda.Dockerfile --target test .     # tries it on the CPU
#
# CUDA's libraries come as packages of Python; the driver is the machine's own, which NVIDIA's
# container toolkit lays in.
FROM python:3.13-slim AS base
ENV PYTHONUNBUFFERED=1 \
    NVIDIA_VISIBLE_DEVICES=all \
    NVIDIA_DRIVER_CAPABILITIES=compute,utility
RUN apt-get update \
    && apt-get install -y --no-install-recommends g++ \
    && rm -rf /var/lib/apt/lists/* \
    && useradd --create-home --home-dir /srv/tenorite --uid 1000 tenorite
COPY dist/*.whl /tmp/wheel/
RUN for wheel in /tmp/wheel/*.whl; do pip install --no-cache-dir "${wheel}[cuda13]"; done \
    && rm -rf /tmp/wheel
USER tenorite
WORKDIR /srv/tenorite

FROM base AS test
COPY --chown=tenorite examples/paper.py .
RUN TENORITE_BACKEND=host python paper.py 1000000

FROM base AS final
CMD ["python", "-c", "import tenorite; tenorite.show_config()"]
