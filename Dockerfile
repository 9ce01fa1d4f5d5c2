# The builder has the toolchain; the image has the binary and a handful of packages.
FROM swift:6.3-bookworm AS build
RUN apt-get update \
 && apt-get install -y --no-install-recommends libcurl4-openssl-dev libpq-dev libsqlite3-dev libssl-dev pkg-config zlib1g-dev \
 && rm -rf /var/lib/apt/lists/*
WORKDIR /src
COPY . .
RUN swift build -c release --product kanbase --static-swift-stdlib \
 && install -D --strip .build/release/kanbase /out/kanbase

FROM debian:bookworm-slim
RUN apt-get update \
 && apt-get install -y --no-install-recommends ca-certificates libcurl4 libsqlite3-0 libpq5 libssl3 libstdc++6 tzdata zlib1g \
 && rm -rf /var/lib/apt/lists/* \
 && useradd --uid 10001 --no-create-home --home-dir /data --shell /usr/sbin/nologin kanbase \
 && install -d -o kanbase -g kanbase -m 0700 /data
COPY --from=build /out/kanbase /usr/local/bin/kanbase
USER kanbase
ENV KANBASE_HOST=0.0.0.0 \
    KANBASE_DATA=/data
VOLUME /data
EXPOSE 8080
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=30s --timeout=5s --start-period=10s CMD ["kanbase", "health"]
ENTRYPOINT ["kanbase"]
CMD ["serve"]
