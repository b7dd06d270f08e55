# Replaces the image "fsouza/fake-gcs-server" where no registry answers: the same program, compiled
# here.
FROM scratch
COPY fake-gcs-server /bin/fake-gcs-server
ENTRYPOINT ["/bin/fake-gcs-server", "-data", "/data"]
