# The images of blq. Each is a target:
#
#   blq      only the program
#   job      blq without the MCP server: the Action copies it to the runner, and action/report runs it
#   blqd     the service, and blq
#   toolbox  that, with the tools of a step that runs inside an image, for action/container
#
# "docker build --target blqd ." compiles in Go's image. "make image" needs no registry: it compiles
# on the host and uses a base image made locally.
ARG GO_IMAGE=golang:1.26
ARG DEBIAN_IMAGE=debian:trixie-slim
# Where the programs come from: the stage source or the stage prebuilt.
ARG PROGRAMS=source

FROM --platform=$BUILDPLATFORM ${GO_IMAGE} AS source
ARG TARGETOS
ARG TARGETARCH
ARG VERSION=dev
WORKDIR /src
COPY . .
RUN --mount=type=cache,target=/root/.cache/go-build --mount=type=cache,target=/go/pkg/mod \
    export GOOS=$TARGETOS GOARCH=$TARGETARCH VERSION=$VERSION && \
    for program in blq blq-job blqd; do sh script/compile.sh $program /out/$program || exit 1; done

FROM scratch AS prebuilt
ARG TARGETARCH
COPY bin/image/linux-${TARGETARCH}/ /out/

FROM ${PROGRAMS} AS programs

# Files that every image without Debian needs: CA certificates, users, /tmp.
FROM --platform=$BUILDPLATFORM ${DEBIAN_IMAGE} AS files
RUN if [ ! -s /etc/ssl/certs/ca-certificates.crt ]; then \
        apt-get update -qq && apt-get install -y -qq --no-install-recommends ca-certificates; \
    fi
RUN mkdir -p /files/etc/ssl/certs /files/tmp /files/root /files/data/var/lib/blqd && chmod 1777 /files/tmp && \
    cp /etc/ssl/certs/ca-certificates.crt /files/etc/ssl/certs/ && \
    echo 'root:x:0:0:root:/root:/sbin/nologin' >/files/etc/passwd && \
    echo 'blqd:x:65532:65532:blqd:/var/lib/blqd:/sbin/nologin' >>/files/etc/passwd && \
    printf 'root:x:0:\nblqd:x:65532:\n' >/files/etc/group && \
    mv /files/data /data

# No USER: GitHub runs container actions as root, because root owns their workspace.
FROM scratch AS base
COPY --from=files /files/ /
ENTRYPOINT ["/usr/local/bin/blq"]
ARG VERSION=dev
ARG REVISION
LABEL org.opencontainers.image.title="blq" \
      org.opencontainers.image.description="Runs a build, keeps what it printed, and says what failed and what is new" \
      org.opencontainers.image.source="https://github.com/blq-ci/blq" \
      org.opencontainers.image.documentation="https://github.com/blq-ci/blq#readme" \
      org.opencontainers.image.licenses="Apache-2.0" \
      org.opencontainers.image.version="$VERSION" \
      org.opencontainers.image.revision="$REVISION"

FROM base AS blq
COPY --from=programs /out/blq /usr/local/bin/blq

FROM base AS job
COPY --from=programs /out/blq-job /usr/local/bin/blq
LABEL org.opencontainers.image.title="blq job" \
      org.opencontainers.image.description="blq for the jobs of GitHub Actions, and for the report of all jobs of a workflow run"

FROM blq AS blqd
COPY --from=programs /out/blqd /usr/local/bin/blqd
COPY --from=files --chown=65532:65532 /data/ /
ENV BLQ_ADDR=:8080 BLQ_DATA=/var/lib/blqd
USER 65532:65532
EXPOSE 8080
HEALTHCHECK --interval=10s --timeout=6s --start-period=60s CMD ["/usr/local/bin/blqd", "ready"]
ENTRYPOINT ["/usr/local/bin/blqd"]
CMD ["serve"]
LABEL org.opencontainers.image.title="blqd" \
      org.opencontainers.image.description="Receives runs of CI jobs and answers questions about them, over HTTP and MCP" \
      org.opencontainers.image.documentation="https://github.com/blq-ci/blq/blob/main/docs/service.md"

FROM ${DEBIAN_IMAGE} AS toolbox
RUN apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends \
        bash ca-certificates curl g++ gcc git libc6-dev make openssh-client \
        python-is-python3 python3 python3-pip python3-pytest python3-venv && \
    rm -rf /var/lib/apt/lists/* && \
    # The workspace belongs to the runner's user, but steps run as root.
    git config --system --add safe.directory '*' && \
    # The name under which the Action calls blq after the job.
    ln -s blq /usr/local/bin/blq-post
# The image is used for a single job, so pip may install next to Debian's packages.
ENV PIP_BREAK_SYSTEM_PACKAGES=1 PIP_ROOT_USER_ACTION=ignore
COPY --from=programs /out/blq-job /usr/local/bin/blq
ENTRYPOINT ["/usr/local/bin/blq"]
ARG VERSION=dev
ARG REVISION
LABEL org.opencontainers.image.title="blq toolbox" \
      org.opencontainers.image.description="blq with bash, git, make, gcc, Python and pytest, for steps that run inside an image" \
      org.opencontainers.image.source="https://github.com/blq-ci/blq" \
      org.opencontainers.image.documentation="https://github.com/blq-ci/blq#readme" \
      org.opencontainers.image.licenses="Apache-2.0" \
      org.opencontainers.image.version="$VERSION" \
      org.opencontainers.image.revision="$REVISION"
