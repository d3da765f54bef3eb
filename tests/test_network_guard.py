import asyncio
import socket

import anyio
import pytest

from tests.guards import OutsideNetworkError, is_loopback

OUTSIDE = "192.0.2.1"  # TEST-NET-1 (RFC 5737): routed nowhere.


@pytest.mark.parametrize(
    ("host", "here"),
    [
        ("127.0.0.1", True),
        ("127.8.9.10", True),
        ("::1", True),
        ("localhost", True),
        ("", True),
        ("0.0.0.0", True),
        (OUTSIDE, False),
        ("10.0.0.1", False),
        ("2001:db8::1", False),
        ("localhost.example.com", False),
    ],
)
def test_only_this_machine_counts_as_loopback(host, here):
    assert is_loopback(host) is here


def test_a_connection_beyond_the_loopback_is_refused():
    with socket.socket() as client, pytest.raises(OutsideNetworkError) as raised:
        client.connect((OUTSIDE, 80))

    assert (raised.value.event, raised.value.host) == ("socket.connect", OUTSIDE)


def test_a_datagram_beyond_the_loopback_is_refused():
    with (
        socket.socket(type=socket.SOCK_DGRAM) as client,
        pytest.raises(OutsideNetworkError) as raised,
    ):
        client.sendto(b"x", (OUTSIDE, 53))

    assert raised.value.event == "socket.sendto"


@pytest.mark.parametrize("host", ["example.com", b"example.com"])
def test_a_name_beyond_the_machine_is_not_looked_up(host):
    with pytest.raises(OutsideNetworkError) as raised:
        socket.getaddrinfo(host, 443)

    assert raised.value.host == "example.com"


async def test_the_event_loop_is_guarded_too():
    with anyio.fail_after(5), pytest.raises(OutsideNetworkError):
        await asyncio.open_connection(OUTSIDE, 80)


def test_the_loopback_is_open():
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        with socket.create_connection(("localhost", port)) as client:
            peer, _ = server.accept()
            with peer:
                client.sendall(b"ping")
                received = peer.recv(4)

    assert received == b"ping"


def test_a_unix_socket_is_open():
    left, right = socket.socketpair()
    with left, right:
        left.sendall(b"ping")

        assert right.recv(4) == b"ping"
