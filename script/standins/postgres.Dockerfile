# Replaces the image "postgres" where no registry answers: Debian's server, which reads the same
# variables.
ARG DEBIAN_IMAGE
FROM ${DEBIAN_IMAGE}
RUN apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends postgresql && \
    rm -rf /var/lib/apt/lists/* && ln -s /usr/lib/postgresql/*/bin/* /usr/local/bin/ 2>/dev/null; \
    mkdir -p /var/lib/postgresql/data && chown postgres /var/lib/postgresql/data && test -x /usr/local/bin/initdb
COPY postgres.sh /usr/local/bin/
USER postgres
VOLUME /var/lib/postgresql/data
EXPOSE 5432
STOPSIGNAL SIGINT
ENTRYPOINT ["sh", "/usr/local/bin/postgres.sh"]
