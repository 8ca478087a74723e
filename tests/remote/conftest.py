"""An S3 service on loopback, with a bucket that holds the sample log; skipped where its packages are not installed."""

from __future__ import annotations

import json
import logging
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

SAMPLES = Path(__file__).parents[2] / "sample_logs"


@pytest.fixture(scope="session")
def endpoint() -> Iterator[str]:
    """The address of the service; credentials and endpoint stand in the environment, as a user's would."""
    pytest.importorskip("s3fs", reason="s3fs is not installed: pip install 'recallwatch[remote]'")
    pytest.importorskip("upath", reason="universal_pathlib is not installed: pip install 'recallwatch[remote]'")
    server_module = pytest.importorskip("moto.server", reason="moto is not installed: pip install 'moto[server]'")
    logging.getLogger("werkzeug").setLevel(logging.ERROR)
    server = server_module.ThreadedMotoServer(ip_address="127.0.0.1", port=0)
    server.start()
    host, port = server.get_host_and_port()
    yield f"http://{host}:{port}"
    server.stop()


@pytest.fixture
def bucket(endpoint: str, monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    """A file system with an empty bucket ``bucket``."""
    import s3fs

    settings = {"AWS_ACCESS_KEY_ID": "test", "AWS_SECRET_ACCESS_KEY": "test", "AWS_DEFAULT_REGION": "us-east-1"}
    for name, value in {**settings, "AWS_ENDPOINT_URL": endpoint}.items():
        monkeypatch.setenv(name, value)
    files = s3fs.S3FileSystem(skip_instance_cache=True)
    files.mkdir("bucket")
    s3fs.S3FileSystem.clear_instance_cache()
    yield files
    files.rm("bucket", recursive=True)
    s3fs.S3FileSystem.clear_instance_cache()


@pytest.fixture
def sample(bucket: Any) -> Any:
    """The bucket with the sample log and labels in it, and what no reader should touch."""
    for path in sorted((SAMPLES / "recalls").iterdir()):
        bucket.put(str(path), f"bucket/logs/{path.name}")
    bucket.put(str(SAMPLES / "labels.jsonl"), "bucket/labels.jsonl")
    bucket.pipe("bucket/logs/_SUCCESS", b"")
    bucket.pipe("bucket/logs/_temporary/part.parquet", b"half")
    return bucket


def json_of(result: Any) -> str:
    """The JSON without the `read` block and the key of sql/; the folder of the logs by one name, wherever it is."""
    found = result.to_dict()
    del found["read"], found["state_key"]
    return json.dumps(found).replace("s3://bucket/logs", "LOGS").replace(str(SAMPLES / "recalls"), "LOGS")
