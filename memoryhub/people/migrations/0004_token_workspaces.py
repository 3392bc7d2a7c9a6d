from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('people', '0003_turn_assignment'),
    ]

    operations = [
        migrations.AlterField(
            model_name='accesstoken',
            name='prefix',
            field=models.CharField(max_length=20),
        ),
        migrations.AddConstraint(
            model_name='accesstoken',
            constraint=models.UniqueConstraint(fields=('prefix', 'workspace'), name='token_once_a_workspace'),
        ),
    ]
