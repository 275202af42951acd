"""What the name of a store gives away."""

from hypothesis import given
from hypothesis import strategies as st

from hindbrain.core.address import is_server, shown

SECRETS = st.text("abcXYZ019:/@?&=%#", min_size=8, max_size=20).map(lambda text: f"hush{text}hush")
NAMES = st.text("abcdefg", min_size=1, max_size=8)


@given(user=NAMES, secret=SECRETS, host=NAMES)
def test_no_password_is_shown_however_odd_it_is(user: str, secret: str, host: str) -> None:
    told = shown(f"postgresql://{user}:{secret}@{host}/db?sslmode=require")
    assert "hush" not in told and user in told and host in told and told.endswith("/db?sslmode=require")


@given(secret=NAMES.map(lambda text: f"hush{text}"), name=st.sampled_from(["password", "sslpassword", "PASSWORD"]))
def test_no_password_is_shown_in_the_query_either(secret: str, name: str) -> None:
    assert shown(f"postgres://host/db?{name}={secret}&user=me") == f"postgres://host/db?{name}=***&user=me"


@given(path=st.text(max_size=30).filter(lambda text: "://" not in text))
def test_a_path_is_shown_as_it_is(path: str) -> None:
    assert shown(path) == path and not is_server(path)
