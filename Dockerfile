# Everything that measuring takes, with Snakemake's executors for clusters and clouds:
#   docker build -t acrobat .                      (--build-arg TORCH=cuda for NVIDIA GPUs)
#   docker run -v "$PWD/results:/opt/acrobat/results" acrobat make reproduce
FROM debian:13-slim

ARG TORCH=cpu
WORKDIR /opt/acrobat
COPY . .
RUN TORCH="$TORCH" sh requirements/container.sh /opt/acrobat/.venv && \
    rm -rf /var/lib/apt/lists/*
ENV PATH=/opt/acrobat/.venv/bin:$PATH \
    ACROBAT_CHECKOUT=/opt/acrobat
CMD ["acrobat", "doctor"]
