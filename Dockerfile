# Builds the service's image. Node runs the TypeScript in src/ directly.

FROM node:24-bookworm-slim AS build
WORKDIR /app
ENV NODE_ENV=production
COPY package.json package-lock.json ./
RUN npm ci --omit=dev --ignore-scripts --no-audit --no-fund
COPY LICENSE ./
COPY deploy/healthcheck.js deploy/
COPY migrations migrations
COPY src src
# Fills the V8 compile cache during the build because the container may be read-only. The user ID and V8 flags must be
# the same as in the final stage. Without settings, the service loads all modules and exits with code 78.
ENV NODE_COMPILE_CACHE=/app/.v8-cache
RUN install -d -o 1000 -g 1000 .v8-cache
USER 1000:1000
RUN node --max-semi-space-size=4 src/server.ts; test $? -eq 78 && node src/cli.ts --help >/dev/null
USER 0:0
RUN chown -R 0:0 .v8-cache && chmod -R a+rX .v8-cache && rm package-lock.json


FROM node:24-bookworm-slim
ARG VERSION=unreleased
ARG REVISION=unknown
LABEL org.opencontainers.image.title="Sésame" \
      org.opencontainers.image.description="A self-hosted sign-in service: an OAuth 2.0 and OpenID Connect provider" \
      org.opencontainers.image.licenses="Apache-2.0" \
      org.opencontainers.image.version="$VERSION" \
      org.opencontainers.image.revision="$REVISION" \
      org.opencontainers.image.base.name="docker.io/library/node:24-bookworm-slim"
ENV NODE_ENV=production \
    HOST=0.0.0.0 \
    NODE_COMPILE_CACHE=/app/.v8-cache
WORKDIR /app
COPY --from=build /app ./
# Orchestrators can verify that a numeric user isn't root. Root owns the files, so the service can't modify them.
USER 1000:1000
EXPOSE 3000
STOPSIGNAL SIGTERM
# The service waits up to a minute for the database.
HEALTHCHECK --interval=10s --timeout=5s --start-period=90s --retries=3 CMD ["node", "deploy/healthcheck.js"]
ENTRYPOINT []
# A small young generation saves memory (docs/adr/0017-memory.md). `npm start` uses the same flags.
CMD ["node", "--max-semi-space-size=4", "src/server.ts"]
