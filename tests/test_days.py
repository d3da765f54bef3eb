"""Days as the person's calendar has them; the expected ones are the standard library's."""

import time
from datetime import UTC, date, datetime
from zoneinfo import ZoneInfo

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from runtime.days import age_of, begin_of, day_at, day_number, local_day

ZONES = ["Asia/Tokyo", "UTC", "America/New_York", "Pacific/Kiritimati", "America/Sao_Paulo"]


@pytest.fixture
def zone(monkeypatch):
    """Set the machine's time zone for one test."""

    def put(name):
        monkeypatch.setenv("TZ", name)
        time.tzset()

    yield put
    monkeypatch.undo()
    time.tzset()


@pytest.mark.parametrize(
    ("moment", "day"),
    [
        ("2026-06-11T14:59:59.999Z", "2026-06-11"),
        ("2026-06-11T15:00:00.000Z", "2026-06-12"),
        ("2026-12-31T22:30:00.000Z", "2027-01-01"),
        ("2026-06-11", "2026-06-11"),
        ("", ""),
        ("no moment at all", "no moment "),
        ("2026-06-11Tnonsense", "2026-06-11"),
    ],
)
def test_in_tokyo_the_day_begins_at_three_in_the_afternoon(zone, moment, day):
    zone("Asia/Tokyo")

    assert local_day(moment) == day


MOMENTS = st.datetimes(datetime(1980, 1, 1), datetime(2030, 1, 1), timezones=st.just(UTC))  # noqa: DTZ001


@pytest.mark.parametrize("name", ZONES)
@settings(max_examples=50, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(moment=MOMENTS)
def test_a_stored_moment_has_the_day_of_the_zone(zone, name, moment):
    zone(name)
    stored = moment.isoformat(timespec="milliseconds").replace("+00:00", "Z")

    assert local_day(stored) == moment.astimezone(ZoneInfo(name)).date().isoformat()
    assert day_at(moment.timestamp()) == local_day(stored)


@pytest.mark.parametrize("name", ZONES)
@settings(max_examples=50, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(moment=MOMENTS)
def test_a_day_begins_when_the_moment_before_was_another_day(zone, name, moment):
    zone(name)
    day = moment.astimezone(ZoneInfo(name)).date().isoformat()
    began = begin_of(day)

    before = datetime.fromisoformat(began).timestamp() - 1
    assert local_day(began) == day
    assert day_at(before) < day
    assert began[:19] <= moment.isoformat()[:19]


@given(st.dates())
def test_days_are_counted_as_by_the_calendar(day):
    assert day_number(day.isoformat()) == (day - date(1970, 1, 1)).days


@pytest.mark.parametrize(
    "text",
    ["", "2026", "2026-02-29", "2026-13-01", "2026-00-01", "2026-1-1", "٢٠٢٦-01-01", "0000-01-01"],
)
def test_what_is_no_day_has_no_number(text):
    assert day_number(text) is None


@pytest.mark.parametrize(
    ("day", "age"),
    [
        ("2026-06-11", "today"),
        ("2026-06-10", "yesterday"),
        ("2026-06-12", "tomorrow"),
        ("2026-06-08", "3 days ago"),
        ("2026-05-28", "2 weeks ago"),
        ("2026-04-01", "2 months ago"),
        ("2025-06-11", "1 year ago"),
        ("2016-06-11", "10 years ago"),
        ("2026-06-14", "in 3 days"),
        ("undated", ""),
    ],
)
def test_an_age_is_told_in_words(day, age):
    assert age_of(day, "2026-06-11") == age


def test_a_moment_beyond_any_calendar_has_no_day():
    assert day_at(1e20) == ""
