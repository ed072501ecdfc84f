# The image of the service. Node runs the TypeScript of src/ as it is: there is nothing to build but the packages.

FROM node:24-bookworm-slim AS build
WORKDIR /app
ENV NODE_ENV=production
COPY package.json package-lock.json ./
RUN npm ci --omit=dev --ignore-scripts --no-audit --no-fund
COPY LICENSE ./
COPY deploy/healthcheck.js deploy/
COPY migrations migrations
COPY src src
# What V8 makes of the sources is kept in the image, since a read-only container cannot keep it. Node files it under the
# user id that made it and the V8 flags, so the user of the final stage makes it, with the same flags. Without settings the service loads all its modules and
# then refuses to start with exit code 78, which is what is wanted here.
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
# By number, so that an orchestrator can see that it is not root. The files are root's: the service cannot change itself.
USER 1000:1000
EXPOSE 3000
STOPSIGNAL SIGTERM
# A start waits up to a minute for the database.
HEALTHCHECK --interval=10s --timeout=5s --start-period=90s --retries=3 CMD ["node", "deploy/healthcheck.js"]
# The base image's entry point only guesses whether to put `node` in front.
ENTRYPOINT []
# The young generation stays small: see docs/adr/0017-memory.md. `npm start` has the same flags.
CMD ["node", "--max-semi-space-size=4", "src/server.ts"]
