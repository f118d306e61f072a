# An image of a package that `npm run package` has written, for Linux: docs/operations/install-and-upgrade.md.
FROM debian:13.8-slim
# For Node, and pg_dump of PostgreSQL 18 for backups, which Debian 13 does not have.
RUN apt-get update && apt-get install --yes --no-install-recommends ca-certificates libatomic1 postgresql-common \
  && /usr/share/postgresql-common/pgdg/apt.postgresql.org.sh -y \
  && apt-get install --yes --no-install-recommends postgresql-client-18 && rm -rf /var/lib/apt/lists/*
RUN groupadd --gid 10001 front-row && useradd --uid 10001 --gid 10001 --no-create-home front-row \
  && install --directory --owner=10001 --group=10001 --mode=700 /backups
ARG PACKAGE
# Unpacked by ADD. It belongs to root: who runs it cannot change it.
ADD ${PACKAGE} /opt/front-row/
RUN ln -s "$(basename "${PACKAGE}" .tar.gz)" /opt/front-row/current
WORKDIR /opt/front-row/current
ENV HOST=0.0.0.0 PORT=3000
# Numbers, which Kubernetes can tell from root.
USER 10001:10001
EXPOSE 3000
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=30s --timeout=5s --start-period=60s \
  CMD ["bin/node", "-e", "fetch(`http://127.0.0.1:${process.env.PORT}/healthz`).then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
# Needs settings, `--env-file`: it does not start without a database, the festival's credentials and an operator (.env.example).
CMD ["bin/serve"]
