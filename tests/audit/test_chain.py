"""The audit log is a chain: what is changed, removed or inserted shows."""

from __future__ import annotations

import logging
from datetime import UTC, datetime, timedelta
from io import StringIO
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command
from django.db import DatabaseError, connection, transaction
from pytest_django import Settings

from memoryhub.audit import recording
from memoryhub.audit.chain import Head, head, redact_subjects, verify
from memoryhub.audit.models import AuditEntry
from memoryhub.audit.origins import Door, Origin, entered
from memoryhub.audit.recording import WAITING, record, record_after, trim_old

pytestmark = pytest.mark.django_db


def entries(*subjects: str) -> None:
    with entered(Origin(Door.REST, "builder", "mhub_abc", address="10.0.0.7")):
        for subject in subjects:
            record("write.set_status", workspace="acme", subject=subject)


def run(sql: str, *values: str | int) -> None:
    with connection.cursor() as cursor:
        cursor.execute(sql, values)


def test_an_untouched_log_is_whole_and_names_its_head() -> None:
    entries("a.md", "b.md", "日志.md", "half \ud800")

    found = verify()

    assert (found.entries, found.first, found.fault) == (4, 1, None)
    assert found.head == head() and str(found.head).startswith("4:")


def test_an_empty_log_is_whole() -> None:
    assert verify().fault is None and head().number == 0


@pytest.mark.parametrize("column", ["actor", "subject", "at", "outcome", "detail"])
def test_a_changed_entry_shows(column: str) -> None:
    entries("a.md", "b.md", "c.md")

    run(f"UPDATE audit_auditentry SET {column} = %s WHERE id = 2", "2020-01-01")

    fault = verify().fault
    assert fault and (fault.number, fault.kind) == (2, "changed")


@pytest.mark.parametrize(
    "column",
    [f.column for f in AuditEntry._meta.fields if f.column != "id"],
)
def test_a_value_of_another_type_shows(column: str) -> None:
    entries("a.md", "b.md", "c.md")

    run(f"UPDATE audit_auditentry SET {column} = CAST({column} AS BLOB) WHERE id = 2")

    fault = verify().fault
    assert fault and (fault.number, fault.kind) == (2, "changed")


def test_a_shortened_time_shows() -> None:
    entries("a.md", "b.md")
    run("UPDATE audit_auditentry SET at = substr(at, 1, 20) WHERE id = 2")

    assert verify().fault


@pytest.mark.parametrize("column", ["actor", "workspace", "subject", "detail", "at"])
def test_the_list_of_a_changed_log_is_no_crash(column: str) -> None:
    entries("a.md", "b.md")
    run(f"UPDATE audit_auditentry SET {column} = CAST({column} AS BLOB)")

    for options in ({}, {"json": True}):
        out = StringIO()
        try:
            call_command("audit", "list", stdout=out, **options)
        except CommandError as error:
            assert column == "at" and "audit verify" in str(error)
        else:
            assert "a.md" in out.getvalue() and "builder" in out.getvalue()


@pytest.mark.parametrize("number", [1, 2, 3])
def test_a_removed_entry_shows_the_first_and_the_last_too(number: int) -> None:
    entries("a.md", "b.md", "c.md")

    run("DELETE FROM audit_auditentry WHERE id = %s", number)

    fault = verify().fault
    assert fault and (fault.number, fault.kind) == (number, "missing")


@pytest.mark.parametrize(
    "change",
    [
        "subject = 'other.md', salt = ''",
        "subject = '', salt = ''",
        "detail = x'ff00'",
        "subject = CAST(x'ff' AS TEXT)",
        "sha256 = x'00'",
        "id = -1",
        "id = 0",
        "action = 'audit.trimmed', subject = 'nonsense'",
        "action = 'audit.trimmed', subject = '1:' || sha256",
    ],
)
def test_no_form_of_a_change_passes_or_stops_the_verification(change: str) -> None:
    entries("a.md", "b.md", "c.md")

    run(f"UPDATE audit_auditentry SET {change} WHERE id = 2")

    assert verify().fault is not None


@pytest.mark.parametrize("number", [0, -7])
def test_an_entry_inserted_before_the_first_shows(number: int) -> None:
    entries("a.md", "b.md")
    columns = "at, actor, token, command, door, address, workspace, action, subject"
    rest = "outcome, detail, salt, subject_sha, sha256"
    copied = f"SELECT %s, {columns}, {rest} FROM audit_auditentry WHERE id = 1"

    run(f"INSERT INTO audit_auditentry (id, {columns}, {rest}) {copied}", number)

    fault = verify().fault
    assert fault and fault.kind == "missing"


def test_a_trimming_cannot_be_redacted_to_hide_removed_entries(
    settings: Settings,
) -> None:
    now = datetime(2026, 11, 26, tzinfo=UTC)
    for days in (400, 364, 1):
        record("sign-in", at=now - timedelta(days=days))
    settings.MEMORYHUB_AUDIT_DAYS = 365
    trim_old(now)
    second = Head(2, AuditEntry.objects.get(pk=2).sha256)

    run("DELETE FROM audit_auditentry WHERE id = 2")
    forged = f"{second} [forgotten]"
    for subject in (str(second), forged):
        run(
            "UPDATE audit_auditentry SET subject = %s, salt = '' WHERE action = %s",
            subject,
            "audit.trimmed",
        )
        assert verify().fault is not None


def test_a_log_that_was_written_anew_does_not_match_a_head_kept_elsewhere() -> None:
    entries("a.md", "b.md")
    known = head()
    run("DELETE FROM audit_auditentry")
    run("UPDATE sqlite_sequence SET seq = 0 WHERE name = 'audit_auditentry'")
    entries("other.md", "b.md")

    assert verify().fault is None
    fault = verify(known).fault
    assert fault and (fault.number, fault.kind) == (2, "replaced")
    gone = verify(Head(9, "f" * 64)).fault
    assert gone and gone.kind == "missing"


def test_entries_past_their_retention_go_and_the_rest_is_still_whole(
    settings: Settings,
) -> None:
    now = datetime(2026, 11, 26, tzinfo=UTC)
    for days in (400, 366, 364, 1):
        record("sign-in", at=now - timedelta(days=days))
    settings.MEMORYHUB_AUDIT_DAYS = 365

    assert trim_old(now) == 2
    found = verify()
    assert (found.first, found.entries, found.fault) == (3, 3, None)
    assert trim_old(now) == 0 and AuditEntry.objects.count() == 3
    run("DELETE FROM audit_auditentry WHERE id = 3")
    assert verify().fault is not None


def test_for_ever_is_for_ever(settings: Settings) -> None:
    record("sign-in", at=datetime(2001, 1, 1, tzinfo=UTC))
    settings.MEMORYHUB_AUDIT_DAYS = 0

    assert trim_old(datetime(2026, 1, 1, tzinfo=UTC)) == 0


def test_all_entries_can_be_too_old(settings: Settings) -> None:
    now = datetime(2026, 11, 26, tzinfo=UTC)
    record("sign-in", at=now - timedelta(days=9))
    settings.MEMORYHUB_AUDIT_DAYS = 2

    assert trim_old(now) == 1 and verify().fault is None
    assert [entry.action for entry in AuditEntry.objects.all()] == ["audit.trimmed"]


def test_a_forgotten_name_is_redacted_and_the_chain_is_still_whole() -> None:
    entries("memory/falcon.md", "b.md")

    assert redact_subjects(
        lambda text: (text.replace("falcon", "[forgotten]"), "falcon" in text)
    )

    found = verify()
    assert (found.redacted, found.fault) == (1, None)
    stored = AuditEntry.objects.get(pk=1)
    assert (stored.subject, stored.salt) == ("memory/[forgotten].md", "")


def test_a_change_and_its_entry_are_one_transaction() -> None:
    with pytest.raises(ZeroDivisionError), transaction.atomic():
        entries("a.md")
        _ = 1 / 0

    assert not AuditEntry.objects.exists() and verify().fault is None


def test_an_entry_the_database_refuses_waits_and_is_recorded_with_the_next(
    hub_data: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def full(facts: object) -> None:
        raise DatabaseError("database or disk is full")

    with monkeypatch.context() as broken, caplog.at_level(logging.ERROR):
        broken.setattr(recording, "append", full)
        record_after("sign-in", subject="ada")
    assert (
        "has to wait" in caplog.text and (hub_data / WAITING).stat().st_mode & 0o77 == 0
    )

    record("sign-out", subject="ada")

    actions = AuditEntry.objects.order_by("id").values_list("action", flat=True)
    assert list(actions) == ["sign-in", "sign-out"] and verify().fault is None
