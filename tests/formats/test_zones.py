"""Files state the zone of their times in many words."""

from __future__ import annotations

import pytest

from memoryhub.formats.text.zones import stated_zone, zone_named, zone_of_times
from tests.growth import assert_ends, assert_in_proportion


@pytest.mark.parametrize(
    ("line", "zone"),
    [
        ("- **Timezone:** Europe/Lisbon", "Europe/Lisbon"),
        ("Timezone for everyone: Atlantic/Reykjavik", "Atlantic/Reykjavik"),
        ("- **Timezone:** Wien (CET/CEST)", "Europe/Vienna"),
        ("- **时区：** GMT+8（北京时间）", "Asia/Shanghai"),
        ("Zeitzone: Europe/Berlin", "Europe/Berlin"),
        ("- **Fuso horário:** Europe/Lisbon (WEST no verão)", "Europe/Lisbon"),
        ("Zona horaria: America/Santiago", "America/Santiago"),
        ("- Fuseau horaire : Paris", "Europe/Paris"),
        ("- Часовой пояс: Asia/Yekaterinburg", "Asia/Yekaterinburg"),
        ("- タイムゾーン：東京", "Asia/Tokyo"),
        ("- 시간대: Asia/Seoul", "Asia/Seoul"),
        ("- Strefa czasowa: Warszawa", "Europe/Warsaw"),
        ("| Timezone | UTC+05:30 |", "Asia/Kolkata"),
        ("tz: UTC+8", "Etc/GMT-8"),
        ("Timezone is US Eastern", "America/New_York"),
        ("- **Location:** Lyon, France", "Europe/Paris"),
        ("She lives by Europe/Rome.", "Europe/Rome"),
        ("- Pregão: 9h–17h, horário de Brasília", "America/Sao_Paulo"),
        ("Ute is on Dublin time, logs are UTC", "Europe/Dublin"),
        ("Alle Zeiten sind Berliner Zeit.", "Europe/Berlin"),
        ("Calls are by Pacific time", "America/Los_Angeles"),
        ("- Склад работает по московскому времени", "Europe/Moscow"),
        ("- 行情按北京时间", "Asia/Shanghai"),
        ("- Atención de 9 a 14, hora de Lima", "America/Lima"),
    ],
)
def test_a_file_states_its_zone(line: str, zone: str) -> None:
    assert stated_zone(f"# USER.md\n\n- **Name:** Ana\n{line}\n") == zone


@pytest.mark.parametrize(
    "text",
    [
        "",
        "Timezone: somewhere",
        "Timezone: CST",
        "- **Timezone:** _(not known)_",
        "Timezone: ../../etc/passwd",
        "Timezone: Mars/Base",
        "The timezone bug is fixed: all green",
        "Europe/Rome or Europe/Paris",
        "One call by Eastern time, one by Pacific time",
        "The First time it ran, in Real Time, hora de Cenar",
    ],
)
def test_other_words_are_no_zone(text: str) -> None:
    assert stated_zone(text) == ""


def test_an_abbreviation_counts_in_capitals() -> None:
    assert (zone_named("ET"), zone_named("Paris et moi")) == (
        "America/New_York",
        "Europe/Paris",
    )
    assert zone_named("et alors") == ""


def test_the_head_of_a_log_may_state_a_zone() -> None:
    assert zone_of_times("source: heartbeat (all times UTC)\n") == "UTC"
    assert zone_of_times("---\ntimezone: Asia/Tokyo\n---\n") == "Asia/Tokyo"
    assert zone_of_times("> Times are Lisbon.") == "Europe/Lisbon"
    assert zone_of_times("many times The king") == ""


@pytest.mark.parametrize(
    "part", ["Timezone: ", "tz:\n", "Europe/", "A/b ", "> | - ", "UTC+", "é "]
)
def test_a_hostile_file_is_read_in_linear_time(part: str) -> None:
    def read(size: int) -> None:
        stated_zone(text := part * (size // len(part)))
        zone_of_times(text)
        zone_named(text[: size // 16])

    assert_in_proportion(read, 4_000)
    assert_ends(lambda: read(400_000))
