"""Facts for a check of retrieval, each with a question in other words."""

from __future__ import annotations

SUBJECTS = (
    "billing", "search", "mobile", "gateway", "checkout", "reporting", "invoicing",
    "onboarding", "notifications", "archive", "identity", "scheduler",
)  # fmt: skip

#: Sentences of which the logs are full; they share words with facts and questions.
FILLER = (
    "Worked on the {} service and read its tests.",
    "The {} team asked when the next release is.",
    "Moved the {} board, nothing decided yet.",
    "Deployed {} to staging, all checks are green.",
    "Talked with Dana about {} and the plan for the week.",
    "Fixed a flaky test in {}; it waited for the wrong event.",
    "Reviewed two changes of {}, one comment each.",
    "The {} dashboard shows the usual numbers.",
    "Error rates of {} are normal after the restart.",
    "Renamed a few files of {} and updated the readme.",
    "Wrote down open questions on {} for Monday.",
    "Meeting on {}: costs, limits, who is on call.",
)

FACTS = (
    ("The {} certificate expired on a Sunday and nobody was paged.",
     "when did the certificate of {} run out, expiring without paging"),
    ("{} keeps its retry limit at 7 because the bank blocks the eighth.",
     "how many retries does {} allow before the bank is blocking us"),
    ("Ana is allergic to peanuts, said at the {} dinner.",
     "what allergies came up at the {} dinner"),
    ("We chose PostgreSQL over MySQL for {} due to partial indexes.",
     "which database was chosen for {} and its indexing reason"),
    ("The {} password rotates every 45 days by the vault job.",
     "{} password rotation interval vault"),
    ("Lunch for the {} offsite is at the harbour at noon.",
     "where do we lunch during the {} offsites"),
    ("{} cannot send more than 300 mails an hour without being throttled.",
     "mail throttling limits for {} hourly"),
    ("The {} backups are encrypted with a key that only Omar holds.",
     "who is holding the encryption key of the {} backup"),
    ("A leap second broke the {} clock comparison in the parser.",
     "leap seconds breaking clocks compared in {}"),
    ("The {} logo must stay green, said the founder.",
     "colour that the founder wants for the {} logos"),
    ("Compression of {} snapshots saves 62 percent with zstd.",
     "how much did compressing snapshots with zstd save in {}"),
    ("{} moved from Frankfurt to Dublin for cheaper egress.",
     "region {} was moved to, egress cheaper"),
    ("The flag dark_launch_v2 hides the {} banner.",
     "dark_launch_v2 {} hiding banners"),
    ("Customs forms for {} need the tariff number in field nine.",
     "tariff numbers on the customs form {}"),
    ("{} drops events older than 90 minutes on purpose.",
     "does {} purposely dropping old events, age in minutes"),
    ("The contractor of {} invoices in Swiss francs.",
     "currency francs used by the {} contractors invoice"),
    ("Screen readers skip the {} menu since the aria labels are duplicated.",
     "accessibility screen reader skipping {} menus label duplicate"),
    ("{} uses a Bloom filter to avoid asking the disk twice.",
     "bloom filters in {} avoiding disks"),
    ("The legal hold on {} ends in March 2027.",
     "legal holds ending date for {}"),
    ("Rolling back {} needs the migration 0042 undone first.",
     "rollback of {} which migrations to undo first"),
)  # fmt: skip
