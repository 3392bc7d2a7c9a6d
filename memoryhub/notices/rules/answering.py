"""Rights that the rows of Your turn need. Pure."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from types import MappingProxyType

from memoryhub.people.rights import Right

#: Right in the workspace that each kind of row needs, of those that need an answer.
RIGHT_FOR = MappingProxyType(
    {
        "sign-off": Right.SIGN,
        "question": Right.HANDOFFS,
        "review": Right.COORDINATE,
        "message": Right.HANDOFFS,
        "comment": Right.EDIT,
        "conflict": Right.COORDINATE,
        "gone": Right.EDIT,
        "shrank": Right.EDIT,
        "memory": Right.EDIT,
    }
)


def may_answer(
    kind: str, name: str, rights: Collection[Right], signers: Sequence[str]
) -> bool:
    """Return whether a person may answer a row of Your turn.

    `kind` is the row's kind, `rights` are the person's. `signers` are the user names
    of those who sign off in the workspace; empty if everybody with the right may.
    """
    if kind == "sign-off" and signers and name not in signers:
        return False
    return kind not in RIGHT_FOR or RIGHT_FOR[kind] in rights
