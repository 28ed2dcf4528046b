FROM python:3.11-slim

ENV PYTHONDONTWRITEBYTECODE=1 PYTHONUNBUFFERED=1 HOST=0.0.0.0 PORT=8000 HF_HUB_OFFLINE=1
WORKDIR /srv/tokenarium

COPY requirements.lock pyproject.toml README.md LICENSE ./
RUN pip install --no-cache-dir --disable-pip-version-check --require-hashes -r requirements.lock

COPY app app
COPY templates templates
COPY static static
COPY tokenizers_store tokenizers_store

RUN useradd --system --no-create-home tokenarium && install --directory --owner tokenarium /var/lib/tokenarium
ENV TOKENARIUM_LOCAL=/var/lib/tokenarium
USER tokenarium
EXPOSE 8000
HEALTHCHECK --interval=30s --timeout=3s --start-period=10s \
  CMD ["python", "-c", "import os, urllib.request as u; u.urlopen(f'http://127.0.0.1:{os.environ[\"PORT\"]}/healthz', timeout=2)"]
CMD ["python", "-m", "app", "serve"]
