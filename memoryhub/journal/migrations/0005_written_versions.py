from django.db import migrations, models

#: The first version of a file, behind an operation, that is what the operation made.
NOTE_VERSIONS = """
UPDATE workspaces_operation AS o SET version_seq = (
  SELECT r.seq FROM workspaces_revision AS r
  LEFT JOIN workspaces_blob AS b ON b.id = r.blob_id
  WHERE r.workspace_id = o.workspace_id AND r.path = o.target AND r.seq > o.seq
    AND IFNULL(b.sha256, '') = o.after_sha
  ORDER BY r.seq LIMIT 1)
WHERE o.state = 'applied' AND o.before_sha <> o.after_sha
"""


class Migration(migrations.Migration):
    """Note which version of a file each operation wrote."""

    dependencies = [("workspaces", "0004_coordinators")]
    operations = [
        migrations.AddField("operation", "version_seq", models.BigIntegerField(null=True)),
        migrations.RunSQL(NOTE_VERSIONS, migrations.RunSQL.noop),
        migrations.AddIndex(
            "operation",
            models.Index(fields=["workspace", "version_seq"], name="operation_version"),
        ),
    ]
