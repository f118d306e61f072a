# Everything that is needed to build; none of it runs.
FROM node:26-trixie-slim AS build
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
RUN npm ci
COPY . .
# Whatever the umask of the clone: another user reads it.
RUN npm run build && npm prune --omit=dev && chmod -R a+rX .

# What runs: the lockfile's own Node, PostgreSQL and packages, as an ordinary user who can write to /data alone.
FROM debian:trixie-slim
RUN groupadd --system --gid 999 front-row && useradd --system --uid 999 --gid 999 --home-dir /data --create-home front-row
WORKDIR /app
# Whoever runs it cannot change it.
COPY --from=build /app ./
ENV PATH=/app/node_modules/.bin:$PATH HOST=0.0.0.0 PORT=3000 DATA_DIR=/data
# A number, which Kubernetes can tell from root.
USER 999:999
VOLUME /data
EXPOSE 3000
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=30s --timeout=5s --start-period=60s \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.PORT}/healthz`).then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
# Needs settings, `--env-file`: it does not start without the festival's credentials and an operator (.env.example).
CMD ["node", "build/server/main.js"]
