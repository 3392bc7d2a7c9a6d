"""A token can name the profile of the tools that MCP lists to it."""

from __future__ import annotations

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("people", "0003_tokens_of_main_sessions")]

    operations = [
        migrations.AddField(
            model_name="accesstoken",
            name="profile",
            field=models.CharField(default="", max_length=20),
        ),
    ]
