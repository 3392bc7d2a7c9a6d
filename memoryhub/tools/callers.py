"""Who calls a tool, from what a connection, a call or a command line says of it."""

from __future__ import annotations

from pydantic import Field

from memoryhub.people.policy import OPERATOR, workspace_for_operator
from memoryhub.tools.base import Caller, Request


class Said(Request):
    """What is said of a caller; what is empty was not said."""

    workspace: str = Field(
        default="",
        max_length=200,
        description="the workspace's short name; not needed when there is only one",
    )
    agent: str = Field(
        default="", max_length=200, description="the name of the agent that calls"
    )
    session: str = Field(
        default="",
        max_length=500,
        description="the key of the session that calls, if known",
    )
    key: str = Field(
        default="",
        max_length=200,
        description="names this call: made again with the same key, it is done once",
    )

    def or_else(self, other: Said) -> Said:
        """Return this, and for what it leaves open what `other` says."""
        names = type(self).model_fields
        return Said(**{n: getattr(self, n) or getattr(other, n) for n in names})


def operators_caller(said: Said) -> Caller:
    """Return the caller on the operator's own machine, who needs no token.

    Raises:
        NoSuchWorkspace: there is none of the name, or none is named and several are.
    """
    return Caller(
        workspace_for_operator(said.workspace or None),
        actor=said.agent or OPERATOR,
        agent=said.agent,
        session=said.session,
        key=said.key,
    )
