"""Review queue: cards of changes that agents made to long-lived files, and its rules.

Not projections: a rebuild leaves them alone. A card names versions by their seqs, which
never change, and by the hashes they had.
"""

from __future__ import annotations

from django.db import models
from django.db.models import Index, Q
from django.db.models import UniqueConstraint as Unique

from memoryhub.journal.models import Workspace
from memoryhub.journal.models.record import partial

_OPEN, _REVERTED = Q(state="open"), Q(state="reverted")


class ReviewSetup(models.Model):
    """Review settings of a workspace, and how far its journal was fed to the queue."""

    #: That of the workspace.
    id = models.BigIntegerField(primary_key=True)
    workspace = models.OneToOneField(Workspace, models.CASCADE, related_name="+")
    #: Seq up to which changes were looked at; a replay makes no card a second time.
    fed_seq = models.BigIntegerField(default=0)
    #: Pairs of a path pattern and the number of people: 0, 1 or 2.
    policies = models.JSONField(default=list)
    #: Number of the workspace's rules.
    rules = models.IntegerField(default=0)

    def __str__(self) -> str:
        return str(self.workspace_id)


class ReviewRule(models.Model):
    """ "Never again": later changes that match it are proposed for a revert.

    All given parts must match: the path, the heading above an added line, the line.
    """

    workspace = models.ForeignKey(Workspace, models.CASCADE, related_name="+")
    pattern = models.CharField(max_length=300)
    section = models.CharField(max_length=200, default="", blank=True)
    text = models.CharField(max_length=300, default="", blank=True)
    reason = models.CharField(max_length=300, default="", blank=True)
    made_by = models.CharField(max_length=200)
    made_at = models.DateTimeField()

    class Meta:
        indexes = [Index(fields=["workspace"], name="review_rule_of")]

    def __str__(self) -> str:
        return " · ".join(filter(None, (self.pattern, self.section, self.text)))


class ReviewCard(models.Model):
    """Consecutive changes of one file by one agent in one session."""

    class Kind(models.TextChoices):
        CHANGED = "changed"
        NEW = "new"
        DELETED = "deleted"
        MOVED = "moved"

    class State(models.TextChoices):
        OPEN = "open"
        ACCEPTED = "accepted"
        EDITED = "edited"
        REVERTED = "reverted"
        FORGOTTEN = "forgotten"

    workspace = models.ForeignKey(Workspace, models.CASCADE, related_name="+")
    #: Id of the file's row, which survives renames and rebuilds.
    file = models.BigIntegerField()
    path = models.TextField()
    kind = models.CharField(max_length=8, choices=Kind.choices)
    #: The agent of the operation that made it; empty if the file changed on disk.
    agent = models.CharField(max_length=200, default="")
    session = models.TextField(default="")
    #: Number of entries that OpenClaw's dreaming promoted in it.
    promoted = models.IntegerField(default=0)
    #: Seqs of the version before (0 for none), and of the first and last change.
    before_seq = models.BigIntegerField(default=0)
    first_seq = models.BigIntegerField()
    last_seq = models.BigIntegerField()
    before_sha = models.CharField(max_length=64, default="")
    after_sha = models.CharField(max_length=64, default="")
    #: Number of changes folded into it.
    changes = models.IntegerField(default=1)
    first_at = models.DateTimeField()
    last_at = models.DateTimeField()
    #: The rule by which a revert is proposed.
    rule = models.ForeignKey(ReviewRule, models.SET_NULL, null=True, related_name="+")
    state = models.CharField(max_length=10, choices=State.choices, default="open")
    #: The first of two people who accepted it.
    first_by = models.CharField(max_length=200, default="")
    first_accepted_at = models.DateTimeField(null=True)
    handled_by = models.CharField(max_length=200, default="")
    handled_at = models.DateTimeField(null=True)
    reason = models.CharField(max_length=500, default="")
    #: A line of what was reverted, for its agent.
    excerpt = models.CharField(max_length=200, default="")
    #: Key of the operation that reverted or edited it.
    operation = models.CharField(max_length=100, default="")

    class Meta:
        constraints = [Unique(fields=["workspace", "last_seq"], name="review_card_seq")]
        indexes = [
            partial("review_card_open", _OPEN, "workspace", "-last_seq"),
            partial("review_card_back", _REVERTED, "workspace", "handled_at"),
            Index(fields=["file", "-last_seq"], name="review_card_file"),
        ]

    def __str__(self) -> str:
        return f"{self.path} {self.first_seq}-{self.last_seq}"

    @property
    def is_open(self) -> bool:
        return self.state == self.State.OPEN

    @property
    def is_accepted(self) -> bool:
        return self.state in (self.State.ACCEPTED, self.State.EDITED)

    @property
    def is_rename(self) -> bool:
        """True if only the file's name changed."""
        return self.kind == self.Kind.MOVED and self.before_sha == self.after_sha
