# MemoryHub as an image: docker build -t memoryhub . ; see docs/deploy.md.
FROM debian:bookworm-slim AS build
RUN apt-get update && apt-get install -y --no-install-recommends python3-venv
WORKDIR /src
COPY requirements.txt ./
RUN python3 -m venv /opt/memoryhub && /opt/memoryhub/bin/pip install --no-cache-dir -r requirements.txt
COPY . .
RUN /opt/memoryhub/bin/pip install --no-cache-dir --no-deps .

FROM debian:bookworm-slim
RUN apt-get update \
    && apt-get install -y --no-install-recommends python3 ca-certificates tzdata \
    && rm -rf /var/lib/apt/lists/*
RUN useradd --system --uid 10001 --home-dir /data --shell /usr/sbin/nologin memoryhub \
    && install -d -o memoryhub -g memoryhub -m 0700 /data
COPY --from=build /opt/memoryhub /opt/memoryhub
ENV PATH=/opt/memoryhub/bin:/usr/bin:/bin \
    PYTHONDONTWRITEBYTECODE=1 \
    PYTHONUNBUFFERED=1 \
    MEMORYHUB_DATA=/data \
    MEMORYHUB_HOST=0.0.0.0 \
    MEMORYHUB_URL=http://localhost:8765/
USER memoryhub
WORKDIR /data
VOLUME /data
EXPOSE 8765
HEALTHCHECK --interval=30s --timeout=5s --start-period=60s CMD ["python3", "-c", "from urllib.request import urlopen; urlopen('http://127.0.0.1:8765/healthz', timeout=4)"]
STOPSIGNAL SIGTERM
ENTRYPOINT ["memoryhub"]
CMD ["serve", "--no-open"]
