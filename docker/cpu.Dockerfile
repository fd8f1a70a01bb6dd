# Tenorite on a CPU, from the wheel that `make wheel` laid into dist/:
#
#     docker build -f docker/cpu.Dockerfile -t tenorite .
#     docker build -f docker/cpu.Dockerfile --target test .     # tries it, too
#
# Without a C++ compiler special functions work; kernels of a program's own text need one, g++ here.
FROM python:3.13-slim AS base
ENV PYTHONUNBUFFERED=1 \
    TENORITE_BACKEND=host
RUN apt-get update \
    && apt-get install -y --no-install-recommends g++ \
    && rm -rf /var/lib/apt/lists/* \
    && useradd --create-home --home-dir /srv/tenorite --uid 1000 tenorite
COPY dist/*.whl /tmp/wheel/
RUN pip install --no-cache-dir /tmp/wheel/*.whl && rm -rf /tmp/wheel
USER tenorite
WORKDIR /srv/tenorite

FROM base AS test
COPY --chown=tenorite examples/paper.py .
RUN python paper.py 1000000

FROM base AS final
CMD ["python", "-c", "import tenorite; tenorite.show_config()"]
