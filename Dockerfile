# The image of a gateway: one executable and the libraries that it names, without a shell.
#   docker build -t sluice .
ARG BUILD_IMAGE=node:22-bookworm
ARG PROGRAM=build
ARG BASE_IMAGE=scratch

FROM ${BUILD_IMAGE} AS build
WORKDIR /source
COPY . .
RUN npm run build && node deploy/image/root.mjs dist/sluice /image

# The folder /image: of the stage above, or of an image that holds it already.
FROM ${PROGRAM} AS program

FROM ${BASE_IMAGE}
ARG VERSION=0.1.0
ARG REVISION=unknown
LABEL org.opencontainers.image.title="sluice" \
      org.opencontainers.image.description="Self-hosted LLM gateway" \
      org.opencontainers.image.licenses="Apache-2.0" \
      org.opencontainers.image.version="${VERSION}" \
      org.opencontainers.image.revision="${REVISION}"
COPY --from=program --chown=0:0 /image/program/ /
COPY --from=program --chown=65532:65532 /image/data/ /data/
# The runtime reads the BUN variables before the program starts.
ENV PATH=/usr/bin \
    HOME=/data \
    SLUICE_HOST=0.0.0.0 \
    SLUICE_PORT=8080 \
    SLUICE_DATA_DIR=/data \
    BUN_CONFIG_MAX_HTTP_REQUESTS=20000 \
    BUN_JSC_forceRAMSize=300000000 \
    BUN_JSC_numberOfGCMarkers=1 \
    container=oci
USER 65532:65532
WORKDIR /data
VOLUME /data
EXPOSE 8080
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=10s --timeout=5s --start-period=30s --retries=3 CMD ["/usr/bin/sluice", "health"]
ENTRYPOINT ["/usr/bin/sluice"]
CMD ["start"]
