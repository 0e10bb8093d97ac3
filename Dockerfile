# The image of svc. It contains the executable that `npm run build:binary` writes to build, so run that first.
# docs/containers.md describes how to use it, and scripts/test-image.mjs tests it.
ARG BASE=docker.io/library/debian:trixie-slim
FROM ${BASE}

COPY scripts/image-entrypoint.sh build/svc /usr/local/bin/
COPY build/LICENSES.md /usr/local/share/doc/svc-emulator/

# Other containers have to reach the emulator. The platform decides who owns a mounted /data.
ENV SVC_HOST=0.0.0.0 SVC_TRUST_FOLDERS=/data XDG_CACHE_HOME=/var/cache

# The event shows that the image works, and unpacks the SQLite driver: at run time, the file system can be read-only.
# Group 0 can write to /data, because some platforms run images as any user in this group.
RUN useradd --uid 10001 --no-create-home --home-dir /data svc \
  && install --directory --owner svc --group root --mode 770 /data \
  && SVC_HOST=127.0.0.1 svc emulator exec -- svc trigger order.shipped \
  && chmod -R go+rX /var/cache/svc-emulator

# A number, so that Kubernetes can see that it is not root.
USER 10001
WORKDIR /data
VOLUME /data
EXPOSE 4777
HEALTHCHECK --interval=10s --timeout=5s --start-period=10s --retries=3 CMD ["svc", "emulator", "status"]
ENTRYPOINT ["image-entrypoint.sh"]
CMD ["emulator", "start"]
