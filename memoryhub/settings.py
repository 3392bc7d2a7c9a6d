"""Settings of MemoryHub, all read from the environment; see docs/settings.md."""

from __future__ import annotations

import hashlib
import os
from pathlib import Path
from urllib.parse import urlsplit

from django.core.exceptions import ImproperlyConfigured

from memoryhub.database.data_folder import is_read_only, make_private, scratch_folder
from memoryhub.database.founding import HubConnection
from memoryhub.database.secret_key import secret_key


def env_bool(name: str, *, default: bool) -> bool:
    """Return a boolean variable; raise `ImproperlyConfigured` on other values."""
    value = os.environ.get(name, "").strip().lower()
    if not value:
        return default
    if value in {"1", "true", "yes", "on"}:
        return True
    if value in {"0", "false", "no", "off"}:
        return False
    raise ImproperlyConfigured(f"Unexpected value {name}={value}: use true or false")


def env_int(name: str, *, default: int, lowest: int = 0) -> int:
    """Return a variable that is a whole number of at least `lowest`."""
    value = os.environ.get(name, "").strip()
    if not value:
        return default
    if not value.lstrip("-").isdigit() or int(value) < lowest:
        raise ImproperlyConfigured(
            f"Unexpected value {name}={value}: use a whole number from {lowest}"
        )
    return int(value)


def env_list(name: str, *, default: list[str]) -> list[str]:
    """Return a comma-separated variable as a list."""
    value = os.environ.get(name, "")
    return [part.strip() for part in value.split(",") if part.strip()] or default


def env_path(name: str, *, default: Path) -> Path:
    """Return a variable that is a path; ``~`` is the home folder."""
    value = os.environ.get(name, "").strip()
    return Path(value).expanduser().resolve() if value else default


def env_url(name: str) -> str:
    """Return a variable that is an address of the web, or nothing."""
    value = os.environ.get(name, "").strip()
    try:
        parts = urlsplit(value)
        usable = (
            parts.scheme in {"http", "https"} and parts.hostname and parts.port != 0
        )
    except ValueError:
        usable = False
    if value and not usable:
        raise ImproperlyConfigured(f"Unexpected value of {name}: use https://...")
    return value


def env_secret(name: str, *, needed_by: str) -> str:
    """Return a secret from the environment, required by another variable."""
    value = os.environ.get(name, "").strip()
    if not value and os.environ.get(needed_by, "").strip():
        raise ImproperlyConfigured(f"{name} is missing: {needed_by} needs it")
    return value


def platform_data_folder() -> Path:
    """Return where this platform keeps a program's data of one person."""
    home = Path.home()
    if os.name == "nt":
        return Path(os.environ.get("LOCALAPPDATA", home)) / "memoryhub"
    return Path(os.environ.get("XDG_DATA_HOME", home / ".local/share")) / "memoryhub"


PACKAGE_DIR = Path(__file__).resolve().parent
#: Where templates/, static/ and samples/ are: in an installed package (see setup.py)
#: or at the top of the checkout.
BASE_DIR = PACKAGE_DIR / "shipped"
if not BASE_DIR.is_dir():
    BASE_DIR = PACKAGE_DIR.parent

MEMORYHUB_DATA = env_path("MEMORYHUB_DATA", default=platform_data_folder())
#: The folder that was named, where it cannot be written: MEMORYHUB_DATA is a copy then.
READ_ONLY_DATA = MEMORYHUB_DATA if is_read_only(MEMORYHUB_DATA) else None
if READ_ONLY_DATA:
    MEMORYHUB_DATA = scratch_folder()
#: Where `memoryhub discover` and the import page look for agents' memory.
MEMORYHUB_HOME = env_path("MEMORYHUB_HOME", default=Path.home())
MEMORYHUB_HOST = os.environ.get("MEMORYHUB_HOST", "127.0.0.1")
MEMORYHUB_PORT = env_int("MEMORYHUB_PORT", default=8765)
MEMORYHUB_MAX_FILE_BYTES = env_int("MEMORYHUB_MAX_FILE_BYTES", default=32_000_000)
MEMORYHUB_MAX_CONNECTIONS = env_int(
    "MEMORYHUB_MAX_CONNECTIONS", default=1_000, lowest=16
)
MEMORYHUB_MAX_STREAMS = env_int("MEMORYHUB_MAX_STREAMS", default=500)
MEMORYHUB_MAX_WAITS = env_int("MEMORYHUB_MAX_WAITS", default=100)
MEMORYHUB_MAX_UPLOAD_BYTES = env_int(
    "MEMORYHUB_MAX_UPLOAD_BYTES", default=2 * 1024**3, lowest=1_000
)
MEMORYHUB_CLIENT_SECONDS = env_int("MEMORYHUB_CLIENT_SECONDS", default=10, lowest=1)
MEMORYHUB_ANSWER_SECONDS = env_int("MEMORYHUB_ANSWER_SECONDS", default=30, lowest=1)
MEMORYHUB_BODY_SECONDS = env_int("MEMORYHUB_BODY_SECONDS", default=60, lowest=1)
MEMORYHUB_BACKUP_DIR = env_path(
    "MEMORYHUB_BACKUP_DIR", default=MEMORYHUB_DATA / "backups"
)
MEMORYHUB_BACKUP_HOURS = env_int(
    "MEMORYHUB_BACKUP_HOURS", default=24 if "MEMORYHUB_BACKUP_DIR" in os.environ else 0
)
MEMORYHUB_BACKUP_KEEP = env_int("MEMORYHUB_BACKUP_KEEP", default=7)
MEMORYHUB_FORGET_MINUTES = env_int("MEMORYHUB_FORGET_MINUTES", default=10)
MEMORYHUB_PAGE_SECONDS = env_int("MEMORYHUB_PAGE_SECONDS", default=10)
MEMORYHUB_REQUESTS_PER_SECOND = env_int(
    "MEMORYHUB_REQUESTS_PER_SECOND", default=100, lowest=1
)
MEMORYHUB_WEBHOOK_URL = env_url("MEMORYHUB_WEBHOOK_URL")
MEMORYHUB_WEBHOOK_SECRET = env_secret(
    "MEMORYHUB_WEBHOOK_SECRET", needed_by="MEMORYHUB_WEBHOOK_URL"
)
#: Services that channels may use, by the scheme of Apprise's URLs; empty: all.
MEMORYHUB_CHANNELS = env_list("MEMORYHUB_CHANNELS", default=[])
MEMORYHUB_CHANNELS_PRIVATE = env_bool("MEMORYHUB_CHANNELS_PRIVATE", default=True)

make_private(MEMORYHUB_DATA)
SECRET_KEY = secret_key(READ_ONLY_DATA or MEMORYHUB_DATA)
DEBUG = env_bool("MEMORYHUB_DEBUG", default=False)
MEMORYHUB_TRUST_LOOPBACK = env_bool("MEMORYHUB_TRUST_LOOPBACK", default=False)
ALLOWED_HOSTS = env_list(
    "MEMORYHUB_ALLOWED_HOSTS", default=["localhost", "127.0.0.1", "[::1]"]
)

#: What makes rows of revisions: the importers of all apps, in their order.
MEMORYHUB_IMPORTERS = "memoryhub.handoffs.importers.chain.Importers"

INSTALLED_APPS = [
    "memoryhub.people",
    "memoryhub.journal",
    "topics",
    "snapshots",
    "memoryhub.handoffs",
    "memoryhub.claims",
    "memoryhub.reviews",
    "memoryhub.events",
    "memoryhub.search",
    "memoryhub.jobs",
    "memoryhub.forgetting",
    "memoryhub.notices",
    "memoryhub.tools",
    "memoryhub",
    "memoryhub.web",
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "whitenoise.runserver_nostatic",
    "django.contrib.staticfiles",
    "django_htmx",
]

MIDDLEWARE = [
    "django.middleware.security.SecurityMiddleware",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "django.middleware.gzip.GZipMiddleware",
    "memoryhub.web.kit.stylesheet.stylesheet_served",
    "memoryhub.api.failures.one_error_shape",
    "memoryhub.web.people.middleware.other_sites_refused",
    # Around all that sets cookies.
    "memoryhub.web.kit.http.cookies_secured",
    # Around sessions: who has signed in stays so.
    "memoryhub.database.durability.commits_synced",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.locale.LocaleMiddleware",
    "memoryhub.api.failures.one_version",
    "memoryhub.api.failures.dated",
    "django.middleware.common.CommonMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "memoryhub.web.people.middleware.loopback_trusted",
    # Before the next one, which reads bodies.
    "memoryhub.web.people.middleware.SignedIn",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django_htmx.middleware.HtmxMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "memoryhub.web.kit.http.content_security_policy",
    "memoryhub.web.kit.http.own_browser_alone",
    "memoryhub.web.people.middleware.preferred_zone",
    "memoryhub.web.kit.masking.secrets_masked",
    "memoryhub.runtime.serving.reading.ReadInTime",
]

ROOT_URLCONF = "memoryhub.urls"
WSGI_APPLICATION = "memoryhub.wsgi.application"

TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [BASE_DIR / "templates"],
        "OPTIONS": {
            "loaders": [
                (
                    "django.template.loaders.cached.Loader",
                    [
                        "memoryhub.web.kit.template_files.Loader",
                        "django.template.loaders.app_directories.Loader",
                    ],
                )
            ],
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
                "memoryhub.web.kit.http.standing",
            ],
            "builtins": [
                "memoryhub.web.templatetags.parts",
                "memoryhub.web.kit.stylesheet",
            ],
        },
    },
]

DATABASES = {
    "default": {
        "ENGINE": "django.db.backends.sqlite3",
        "NAME": MEMORYHUB_DATA / "memoryhub.sqlite3",
        "CONN_MAX_AGE": None,
        "OPTIONS": {
            "transaction_mode": "IMMEDIATE",
            "timeout": 20,
            "factory": HubConnection,
            "init_command": "PRAGMA journal_mode=WAL; PRAGMA synchronous=NORMAL;"
            "PRAGMA secure_delete=ON;",
        },
        # A file, so that tests run on the same write-ahead log as the product.
        "TEST": {"NAME": MEMORYHUB_DATA / "test.sqlite3"},
    }
}
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"
AUTH_USER_MODEL = "people.User"

# A browser's sign-in is in its cookie alone, signed with the key of this hub, whose
# name it has: browsers send the cookies of a computer to all of its ports.
SESSION_ENGINE = "django.contrib.sessions.backends.signed_cookies"
SESSION_COOKIE_NAME = f"memoryhub_{hashlib.sha256(SECRET_KEY.encode()).hexdigest()[:8]}"
SESSION_COOKIE_AGE = 90 * 86_400
MESSAGE_STORAGE = "django.contrib.messages.storage.cookie.CookieStorage"

LANGUAGE_CODE = "en"
LANGUAGES = [("en", "English"), ("zh-hans", "简体中文")]
USE_I18N = True
TIME_ZONE = "UTC"
USE_TZ = True

LOGGING = {
    "version": 1,
    "disable_existing_loggers": False,
    "filters": {"masked": {"()": "memoryhub.web.kit.masked_log.MaskedLog"}},
    "formatters": {"safe": {"()": "memoryhub.errors.terminal.LogFormatter"}},
    "handlers": {
        "console": {
            "class": "logging.StreamHandler",
            "filters": ["masked"],
            "formatter": "safe",
        },
    },
    "root": {"handlers": ["console"], "level": "WARNING"},
}

STATIC_URL = "static/"
STATICFILES_DIRS = [BASE_DIR / "static"]
# Served from where they are installed: nothing to collect after `pip install`.
WHITENOISE_USE_FINDERS = True

# A folder is uploaded file by file; sync/uploads.py has its own limits.
DATA_UPLOAD_MAX_NUMBER_FILES = 20_000
DATA_UPLOAD_MAX_MEMORY_SIZE = 16_000_000

SECURE_CONTENT_TYPE_NOSNIFF = True
SECURE_REFERRER_POLICY = "same-origin"
X_FRAME_OPTIONS = "DENY"
