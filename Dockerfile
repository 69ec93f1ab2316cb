# The app with a private MariaDB beside it:
#
#   docker build --build-arg VERSION="$(git describe --tags --always)" -t counterfoil .
#   docker run -p 8080:8080 -v counterfoil:/data --stop-timeout 180 counterfoil
#
# The base images are named by tag. To build the same image again, name them by digest:
#
#   docker buildx imagetools inspect golang:1.26-bookworm --format '{{.Manifest.Digest}}'
#   docker build --build-arg GO_IMAGE=golang:1.26-bookworm@sha256:… --build-arg DEBIAN_IMAGE=debian:bookworm-slim@sha256:… .
ARG GO_IMAGE=golang:1.26-bookworm
ARG DEBIAN_IMAGE=debian:bookworm-slim

FROM ${GO_IMAGE} AS build
# The image's own Go, or the build fails: none is downloaded.
ENV GOTOOLCHAIN=local
WORKDIR /src
COPY go.mod go.sum ./
RUN go mod download
COPY . .
ARG VERSION=unknown
RUN make build VERSION="$VERSION"

FROM ${DEBIAN_IMAGE}
RUN apt-get update \
 && apt-get install --yes --no-install-recommends mariadb-server-core ca-certificates \
 && rm -rf /var/lib/apt/lists/* \
 && useradd --system --uid 10001 --home-dir /data --shell /usr/sbin/nologin counterfoil \
 && install -d -o counterfoil -m 0700 /data
COPY --from=build /src/bin/counterfoil /usr/local/bin/counterfoil
USER counterfoil
ENV COUNTERFOIL_ADDR=0.0.0.0:8080 COUNTERFOIL_DATA=/data
VOLUME /data
EXPOSE 8080
# Ready is more than alive: the database answers, too. bash asks, for the image has no curl.
HEALTHCHECK --interval=15s --timeout=5s --start-period=120s CMD ["bash", "-c", \
  "exec 3<>/dev/tcp/127.0.0.1/${COUNTERFOIL_ADDR##*:} && printf 'GET /readyz HTTP/1.0\\r\\nHost: localhost\\r\\n\\r\\n' >&3 && head -n 1 <&3 | grep -q ' 200 '"]
CMD ["counterfoil", "serve"]
