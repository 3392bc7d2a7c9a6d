from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("topics", "0001_beta")]
    operations = [
        migrations.AddField(
            "directive",
            "origin",
            models.CharField(
                choices=[
                    ("person", "Person"),
                    ("agent", "Agent"),
                    ("unknown", "Unknown"),
                ],
                default="unknown",
                max_length=7,
            ),
        ),
        migrations.AddField(
            "directive",
            "written_by",
            models.CharField(blank=True, default="", max_length=200),
        ),
    ]
