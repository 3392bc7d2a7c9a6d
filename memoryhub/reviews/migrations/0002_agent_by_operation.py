from typing import Any

from django.db import migrations
from django.db.models import Exists, OuterRef


def forget_guesses(apps: Any, schema: Any) -> None:
    """Leave on cards only agents that made the change by an operation."""
    cards = apps.get_model("reviews", "ReviewCard").objects.exclude(agent="")
    acted = apps.get_model("workspaces", "Revision").objects.filter(
        workspace=OuterRef("workspace"),
        seq=OuterRef("last_seq"),
        actor=OuterRef("agent"),
    )
    cards.exclude(Exists(acted)).update(agent="")


class Migration(migrations.Migration):
    dependencies = [("reviews", "0001_beta")]
    operations = [
        migrations.RunPython(forget_guesses, migrations.RunPython.noop, elidable=True)
    ]
