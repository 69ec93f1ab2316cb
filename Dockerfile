FROM golang:1.26-bookworm AS build
WORKDIR /src
COPY go.mod go.sum ./
RUN go mod download
COPY . .
RUN make build

FROM debian:bookworm-slim
RUN apt-get update \
 && apt-get install --yes --no-install-recommends mariadb-server-core ca-certificates \
 && rm -rf /var/lib/apt/lists/* \
 && useradd --system --home-dir /data counterfoil \
 && install -d -o counterfoil /data
COPY --from=build /src/bin/counterfoil /usr/local/bin/counterfoil
USER counterfoil
ENV COUNTERFOIL_ADDR=0.0.0.0:8080 COUNTERFOIL_DATA=/data
VOLUME /data
EXPOSE 8080
CMD ["counterfoil", "serve"]
