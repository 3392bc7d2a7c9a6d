"""People with their read marks and views, and tokens of agents.

Nothing here is projected from files. Projections are referenced by derived id or by
text, never by foreign key: a rebuild cannot touch a person's marks.
"""

from __future__ import annotations

from django.conf import settings
from django.contrib.auth.models import AbstractUser
from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy

from memoryhub.journal.models import Workspace
from memoryhub.people.rights import Role


class User(AbstractUser):
    """A person, with display preferences."""

    class Theme(models.TextChoices):
        SYSTEM = "system", gettext_lazy("System")
        LIGHT = "light", gettext_lazy("Light")
        DARK = "dark", gettext_lazy("Dark")

    class Density(models.TextChoices):
        COMFORTABLE = "comfortable", gettext_lazy("Comfortable")
        COMPACT = "compact", gettext_lazy("Compact")

    theme = models.CharField(max_length=8, choices=Theme.choices, default=Theme.SYSTEM)
    density = models.CharField(
        max_length=12, choices=Density.choices, default=Density.COMFORTABLE
    )
    #: Empty: the workspace's zone.
    time_zone = models.CharField(max_length=64, default="", blank=True)
    single_keys = models.BooleanField(default=True)
    #: Empty: the browser's language.
    language = models.CharField(max_length=10, default="", blank=True)
    #: Name that pages show; empty: the user name, which is the one in the journal.
    name = models.CharField(max_length=80, default="", blank=True)
    #: In team mode: has all rights, of the hub and of every workspace.
    hub_administrator = models.BooleanField(default=False)
    #: How often a team's person has ended all feed keys, which are derived from it.
    feed_round = models.PositiveIntegerField(default=0)

    @property
    def shown_name(self) -> str:
        """Name that pages show."""
        return self.name or self.username

    def get_full_name(self) -> str:
        return self.shown_name


class Group(models.Model):
    """Several people, who get a role in a workspace together."""

    name = models.CharField(max_length=80, unique=True)
    members = models.ManyToManyField(
        settings.AUTH_USER_MODEL, related_name="member_of", blank=True
    )

    class Meta:
        ordering = ["name"]

    def __str__(self) -> str:
        return self.name


class Membership(models.Model):
    """The role that a person, or each member of a group, has in a workspace."""

    workspace = models.ForeignKey(Workspace, models.CASCADE, related_name="memberships")
    user = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.CASCADE, null=True, related_name="memberships"
    )
    group = models.ForeignKey(
        Group, models.CASCADE, null=True, related_name="memberships"
    )
    role = models.PositiveSmallIntegerField(choices=Role.choices)
    #: User name of the person who granted it; empty for a command.
    granted_by = models.CharField(max_length=150, default="")
    granted_at = models.DateTimeField()

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=Q(user__isnull=False, group__isnull=True)
                | Q(user__isnull=True, group__isnull=False),
                name="membership_has_one_holder",
            ),
            models.UniqueConstraint(
                fields=["workspace", "user"], name="membership_user"
            ),
            models.UniqueConstraint(
                fields=["workspace", "group"], name="membership_group"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.holder} in {self.workspace_id}: {Role(self.role).word}"

    @property
    def holder(self) -> User | Group | None:
        """The person or the group that has the role."""
        return self.user or self.group


class SeenMark(models.Model):
    """How far a person has read a workspace, or one of its topics.

    Positions are those of events, in the order in which the hub learned of them. Pages
    compare with `seen`; `viewed` moves while pages are looked at.
    """

    user = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.CASCADE, related_name="seen_marks"
    )
    workspace = models.ForeignKey(Workspace, models.CASCADE, related_name="+")
    topic_id = models.BigIntegerField(null=True)
    seen_position = models.BigIntegerField(default=0)
    #: Null until the end of the first visit.
    seen_at = models.DateTimeField(null=True)
    viewed_position = models.BigIntegerField(default=0)
    viewed_at = models.DateTimeField()
    #: State before "mark all seen", and its time, for the undo.
    undo_position = models.BigIntegerField(null=True)
    undo_at = models.DateTimeField(null=True)
    marked_at = models.DateTimeField(null=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["user", "workspace", "topic_id"], name="seen_topic"
            ),
            models.UniqueConstraint(
                fields=["user", "workspace"],
                condition=Q(topic_id__isnull=True),
                name="seen_workspace",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.user_id} in {self.workspace_id}: {self.seen_position}"


class ReviewMark(models.Model):
    """A section of a snapshot that a person has reviewed: its title and its text.

    A new snapshot with the same text is reviewed too; another text is not.
    """

    user = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.CASCADE, related_name="review_marks"
    )
    workspace = models.ForeignKey(Workspace, models.CASCADE, related_name="+")
    title = models.CharField(max_length=200)
    body_sha = models.CharField(max_length=16)
    reviewed_at = models.DateTimeField()

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["user", "workspace", "body_sha", "title"], name="review_text"
            )
        ]

    def __str__(self) -> str:
        return self.title


class SavedView(models.Model):
    """A page with filters that a person saved under a name."""

    user = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.CASCADE, related_name="saved_views"
    )
    workspace = models.ForeignKey(Workspace, models.CASCADE, related_name="+")
    name = models.CharField(max_length=80)
    #: Path relative to the workspace's address, with the query.
    address = models.CharField(max_length=2000)

    class Meta:
        ordering = ["name", "pk"]
        constraints = [
            models.UniqueConstraint(
                fields=["user", "workspace", "name"], name="saved_view_name"
            )
        ]

    def __str__(self) -> str:
        return self.name


class TurnAssignment(models.Model):
    """Person assigned to a row of Your turn, with the assigner and the time."""

    workspace = models.ForeignKey(Workspace, models.CASCADE, related_name="+")
    #: SHA-256 of the row's key, which outlives rebuilds.
    key = models.CharField(max_length=64)
    person = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.CASCADE, related_name="assignments"
    )
    #: User name.
    by = models.CharField(max_length=150)
    at = models.DateTimeField()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["workspace", "key"], name="turn_assigned")
        ]

    def __str__(self) -> str:
        return f"{self.key[:8]} to {self.person_id}"


class AccessToken(models.Model):
    """An agent's token in one workspace: scopes, expiry.

    A token for several workspaces is a row for each, with the same secret, of which
    only the prefix and a hash are stored.
    """

    workspace = models.ForeignKey(Workspace, models.CASCADE, related_name="tokens")
    agent = models.CharField(max_length=80)
    scopes = models.JSONField(default=list)
    prefix = models.CharField(max_length=20)
    sha256 = models.CharField(max_length=64)
    made_at = models.DateTimeField()
    expires_at = models.DateTimeField(null=True)
    last_used_at = models.DateTimeField(null=True)
    revoked_at = models.DateTimeField(null=True)
    #: For sessions of groups and channels: private memory is closed to it.
    shared = models.BooleanField(default=False)
    #: For an agent's main session: private memory is open to it without a session.
    private = models.BooleanField(default=False)
    #: Profile of the tools that MCP lists to it; empty for the default.
    profile = models.CharField(max_length=20, default="")
    #: Person who made it, whose role limits it; null for a command.
    maker = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.CASCADE, null=True, related_name="tokens"
    )

    class Meta:
        ordering = ["-made_at", "-pk"]
        constraints = [
            models.UniqueConstraint(
                fields=["prefix", "workspace"], name="token_once_a_workspace"
            )
        ]

    def __str__(self) -> str:
        return f"{self.prefix} of {self.agent}"
