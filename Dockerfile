FROM python:3.11-slim AS build

WORKDIR /src
COPY requirements-uv.lock pyproject.toml README.md LICENSE ./
RUN pip install --no-cache-dir --disable-pip-version-check --require-hashes -r requirements-uv.lock
COPY app app
COPY templates templates
COPY static static
COPY tokenizers_store tokenizers_store
COPY LICENSES LICENSES
RUN python -m uv build --quiet --wheel --no-build-isolation --out-dir /dist

FROM python:3.11-slim

ENV PYTHONDONTWRITEBYTECODE=1 PYTHONUNBUFFERED=1 HOST=0.0.0.0 PORT=8000 HF_HUB_OFFLINE=1
COPY requirements.lock /
RUN pip install --no-cache-dir --disable-pip-version-check --require-hashes -r /requirements.lock
RUN --mount=from=build,source=/dist,target=/dist \
  pip install --no-cache-dir --disable-pip-version-check --no-deps /dist/*.whl

RUN useradd --system --no-create-home tokenarium && install --directory --owner tokenarium /var/lib/tokenarium
ENV TOKENARIUM_LOCAL=/var/lib/tokenarium
USER tokenarium
EXPOSE 8000
HEALTHCHECK --interval=30s --timeout=3s --start-period=10s \
  CMD ["python", "-c", "import os, urllib.request as u; u.urlopen(f'http://127.0.0.1:{os.environ[\"PORT\"]}/healthz', timeout=2)"]
ENTRYPOINT ["tokenarium"]
CMD ["serve"]
