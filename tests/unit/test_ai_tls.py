"""Models over TLS, with authorities that are made for the test and thrown away: who cannot prove to be the host, hears
nothing."""

import ipaddress
import socket
import ssl
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from building import FakeChance, FakeClock
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID
from provider import Act, Server, chat, message, serving, vectors

from hindbrain.adapters.ai.completing import RoutedModel
from hindbrain.adapters.ai.embedding import HttpEmbedder
from hindbrain.adapters.ai.exchange import Line
from hindbrain.adapters.ai.ledger import Ledger
from hindbrain.adapters.ai.routing import Routing
from hindbrain.adapters.dictionary import DictStore
from hindbrain.core.model.call import Completion, Prompt
from hindbrain.errors import EmbedderMissing, ModelFailed

NOW = datetime.now(UTC)  # certificates are judged by the machine's clock
HOST: x509.GeneralName = x509.IPAddress(ipaddress.ip_address("127.0.0.1"))
ASKED = Prompt(name="importance", material="The worker must be restarted after a deploy.")


class Authority:
    """Signs certificates for servers of a test."""

    def __init__(self, folder: Path, name: str = "ours") -> None:
        self._folder = folder
        self._name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name)])
        self._key = ec.generate_private_key(ec.SECP256R1())
        built = self._dated(self._name, self._key.public_key(), days=1)
        built = built.add_extension(x509.BasicConstraints(ca=True, path_length=0), critical=True)
        self.file = folder / f"{name}.pem"
        self._pem = built.sign(self._key, hashes.SHA256()).public_bytes(serialization.Encoding.PEM)
        self.file.write_bytes(self._pem)

    def server(self, *, host: x509.GeneralName = HOST, days: float = 1) -> ssl.SSLContext:
        """One whose certificate is for `host` and ends after so many days."""
        key = ec.generate_private_key(ec.SECP256R1())
        name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "a server")])
        built = self._dated(name, key.public_key(), days=days)
        signed = built.add_extension(x509.SubjectAlternativeName([host]), critical=False).sign(
            self._key, hashes.SHA256()
        )
        plain = serialization.NoEncryption()
        secret = key.private_bytes(serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, plain)
        file = self._folder / "server.pem"
        file.write_bytes(secret + signed.public_bytes(serialization.Encoding.PEM))
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(file)
        return context

    def _dated(self, name: x509.Name, key: ec.EllipticCurvePublicKey, *, days: float) -> x509.CertificateBuilder:
        return x509.CertificateBuilder(
            issuer_name=self._name,
            subject_name=name,
            public_key=key,
            serial_number=x509.random_serial_number(),
            not_valid_before=NOW - timedelta(days=3),
            not_valid_after=NOW + timedelta(days=days),
        )


@pytest.fixture
def ours(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Authority:
    """An authority that this process trusts, alone."""
    made = Authority(tmp_path)
    monkeypatch.setenv("SSL_CERT_FILE", str(made.file))
    monkeypatch.setenv("SSL_CERT_DIR", str(tmp_path / "none"))
    monkeypatch.setenv("SOME_KEY", "sk-test-4fJ9wQz81LmX0pRt77Vb")
    return made


def line_of(home: Path, store: DictStore) -> Line:
    ledger = Ledger(store, most_cost=0, most_calls=0)
    return Line(str(home), ledger=ledger, clock=FakeClock(), chance=FakeChance(), sleep=lambda _: None)


def model_of(home: Path, server: Server, *, provider: str = "openai", store: DictStore | None = None) -> RoutedModel:
    text = (
        f"importance:\n  provider: {provider}\n  model: m\n  base_url: {server.url}\n  key: SOME_KEY\n  timeout_s: 5\n"
    )
    (home / "routing.yaml").write_text(text)
    return RoutedModel(Routing(str(home)), line=line_of(home, store or DictStore()), chance=FakeChance())


@pytest.mark.parametrize(("provider", "act"), [("openai", chat), ("mistral", chat), ("anthropic", message)])
def test_a_server_that_proves_who_it_is_is_asked(
    ours: Authority, tmp_path: Path, provider: str, act: Callable[[str], Act]
) -> None:
    with serving(act("hello"), tls=ours.server()) as server:
        answer = model_of(tmp_path, server, provider=provider).complete("importance", ASKED)
    assert isinstance(answer, Completion) and answer.text == "hello"
    assert server.url.startswith("https://") and "restarted after a deploy" in server.bodies


def test_texts_are_embedded_over_tls(ours: Authority, tmp_path: Path) -> None:  # HB-151
    with serving(vectors(1024), tls=ours.server()) as server:
        text = f"embed:\n  provider: mistral\n  base_url: {server.url}\n  key: SOME_KEY\n"
        (tmp_path / "routing.yaml").write_text(text)
        plan = Routing(str(tmp_path)).plan("embed")
        (point,) = HttpEmbedder(plan, line=line_of(tmp_path, DictStore())).embed(["one"])
    assert len(point) == 1024


def refused(home: Path, tls: ssl.SSLContext) -> ModelFailed:
    store = DictStore()
    with serving(chat("hello"), tls=tls) as server:
        with pytest.raises(ModelFailed) as caught:
            model_of(home, server, store=store).complete("importance", ASKED)
        assert server.seen == [], "neither the key nor the material was sent"
    (call,) = store.calls()
    assert (call.outcome, call.tries, call.cost) == ("failed", 1, 0.0), "it is no matter of trying again"
    return caught.value


def test_a_certificate_of_an_authority_that_nobody_trusts_is_refused_with_what_to_do(
    ours: Authority, tmp_path: Path
) -> None:
    (tmp_path / "theirs").mkdir()
    error = refused(tmp_path, Authority(tmp_path / "theirs", "theirs").server())
    assert "the certificate of 127.0.0.1 is not trusted" in error.what and error.code == "model_failed"
    assert "SSL_CERT_FILE" in error.fix and "base_url" in error.fix and "sk-test" not in error.what + error.fix


@pytest.mark.parametrize(
    ("given", "why"),
    [({"days": -1}, "expired"), ({"host": x509.DNSName("other.example")}, "127.0.0.1")],
    ids=["expired", "another host"],
)
def test_a_certificate_that_is_old_or_of_another_host_is_refused(
    ours: Authority, tmp_path: Path, given: dict[str, object], why: str
) -> None:
    error = refused(tmp_path, ours.server(**given))  # type: ignore[arg-type]
    assert "is not trusted" in error.what and why in error.what


def test_an_embedder_that_is_not_who_it_says_leaves_recall_to_words(ours: Authority, tmp_path: Path) -> None:
    (tmp_path / "theirs").mkdir()
    with serving(vectors(4), tls=Authority(tmp_path / "theirs", "theirs").server()) as server:
        text = f"embed:\n  provider: openai\n  model: m\n  dimension: 4\n  base_url: {server.url}\n"
        (tmp_path / "routing.yaml").write_text(text)
        plan = Routing(str(tmp_path)).plan("embed")
        with pytest.raises(EmbedderMissing, match="is not trusted"):
            HttpEmbedder(plan, line=line_of(tmp_path, DictStore())).embed(["one"])
        assert server.seen == []


def test_a_server_that_never_shakes_hands_is_cut_off(ours: Authority, tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:
        text = (
            f"importance:\n  provider: openai\n  model: m\n  base_url: https://127.0.0.1:{silent.getsockname()[1]}/v1\n"
        )
        (tmp_path / "routing.yaml").write_text(text + "  timeout_s: 0.2\n")
        model = RoutedModel(Routing(str(tmp_path)), line=line_of(tmp_path, DictStore()), chance=FakeChance())
        with pytest.raises(ModelFailed, match=r"no answer within 0\.2s"):
            model.complete("importance", ASKED)
