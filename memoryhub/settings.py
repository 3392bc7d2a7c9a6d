"""Settings of MemoryHub, all read from the environment; see docs/settings.md."""

from __future__ import annotations

import hashlib
import os
from pathlib import Path
from zoneinfo import ZoneInfo

from django.core.exceptions import ImproperlyConfigured

from memoryhub.database.data_folder import is_read_only, make_private, scratch_folder
from memoryhub.database.founding import SMALL_CACHE, HubConnection
from memoryhub.database.secret_key import secret_key
from memoryhub.database.write_turns import PATIENCE
from memoryhub.environment import (
    env_bool,
    env_choice,
    env_folders,
    env_int,
    env_list,
    env_networks,
    env_path,
    env_public_address,
    env_secret,
    env_token,
    env_url,
)
from memoryhub.mail_server import mail_server
from memoryhub.management.client import variables


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
#: Folders into which links of workspaces are followed.
MEMORYHUB_LINKED_FOLDERS = env_folders(
    "MEMORYHUB_LINKED_FOLDERS", closed=MEMORYHUB_DATA.resolve()
)
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
#: Days until entries of the audit log are removed; 0: never.
MEMORYHUB_AUDIT_DAYS = env_int("MEMORYHUB_AUDIT_DAYS", default=365)
MEMORYHUB_FORGET_MINUTES = env_int("MEMORYHUB_FORGET_MINUTES", default=10)
MEMORYHUB_PAGE_SECONDS = env_int("MEMORYHUB_PAGE_SECONDS", default=10)
MEMORYHUB_SEMANTIC = env_bool("MEMORYHUB_SEMANTIC", default=True)
MEMORYHUB_REQUESTS_PER_SECOND = env_int(
    "MEMORYHUB_REQUESTS_PER_SECOND", default=100, lowest=1
)
MEMORYHUB_WEBHOOK_URL = env_url("MEMORYHUB_WEBHOOK_URL")
MEMORYHUB_WEBHOOK_SECRET = env_secret(
    "MEMORYHUB_WEBHOOK_SECRET", needed_by="MEMORYHUB_WEBHOOK_URL"
)
#: Services that channels may use, by the scheme of Apprise's URLs; empty: all.
MEMORYHUB_CHANNELS = env_list("MEMORYHUB_CHANNELS", default=[])
#: Whether channels may lead to private networks; None: those of hub administrators.
MEMORYHUB_CHANNELS_PRIVATE = (
    env_bool("MEMORYHUB_CHANNELS_PRIVATE", default=True)
    if os.environ.get("MEMORYHUB_CHANNELS_PRIVATE", "").strip()
    else None
)

MEMORYHUB_SENTRY_DSN = env_url("MEMORYHUB_SENTRY_DSN")
#: What a scrape of /metrics has to send; without it, only this computer may.
MEMORYHUB_METRICS_TOKEN = env_token("MEMORYHUB_METRICS_TOKEN")

make_private(MEMORYHUB_DATA)
SECRET_KEY = secret_key(READ_ONLY_DATA or MEMORYHUB_DATA)
DEBUG = env_bool("MEMORYHUB_DEBUG", default=False)
MEMORYHUB_TRUST_LOOPBACK = env_bool("MEMORYHUB_TRUST_LOOPBACK", default=False)
#: Whether several people with accounts and roles use the hub.
MEMORYHUB_TEAM = env_bool("MEMORYHUB_TEAM", default=False)
if MEMORYHUB_TEAM and MEMORYHUB_TRUST_LOOPBACK:
    raise ImproperlyConfigured(
        "MEMORYHUB_TRUST_LOOPBACK is set: unset it, or MEMORYHUB_TEAM"
    )
#: Whether people who sign in with a password need a second factor.
MEMORYHUB_SECOND_FACTOR = env_bool("MEMORYHUB_SECOND_FACTOR", default=False)
EMAIL = mail_server("MEMORYHUB_EMAIL_URL", sender="MEMORYHUB_EMAIL_FROM")
#: Header in which a trusted proxy names the person it has signed in; empty: none.
MEMORYHUB_PROXY_USER_HEADER = os.environ.get("MEMORYHUB_PROXY_USER_HEADER", "").strip()
MEMORYHUB_OIDC_URL = env_url("MEMORYHUB_OIDC_URL")
MEMORYHUB_OIDC_NAME = os.environ.get("MEMORYHUB_OIDC_NAME", "").strip() or "OpenID"
MEMORYHUB_OIDC_CLIENT_ID = env_secret(
    "MEMORYHUB_OIDC_CLIENT_ID", needed_by="MEMORYHUB_OIDC_URL"
)
#: Whether everybody whom the provider knows may sign in, without an invitation.
MEMORYHUB_OIDC_OPEN = env_bool("MEMORYHUB_OIDC_OPEN", default=False)
if MEMORYHUB_PROXY_USER_HEADER and not os.environ.get("MEMORYHUB_TRUSTED_PROXIES"):
    raise ImproperlyConfigured(
        "MEMORYHUB_TRUSTED_PROXIES is missing: MEMORYHUB_PROXY_USER_HEADER needs it"
    )
_PUBLIC = env_public_address("MEMORYHUB_URL")
MEMORYHUB_URL = _PUBLIC.url
if MEMORYHUB_TEAM and EMAIL.host and not MEMORYHUB_URL:
    raise ImproperlyConfigured(
        "MEMORYHUB_URL is missing: links in e-mails of a team begin with it, not with"
        " the host that a stranger names"
    )
if MEMORYHUB_URL and MEMORYHUB_TRUST_LOOPBACK:
    raise ImproperlyConfigured(
        "MEMORYHUB_URL and MEMORYHUB_TRUST_LOOPBACK exclude each other: the proxy in"
        " front may be on this computer"
    )
#: Networks of the proxies in front. Without any, X-Forwarded-For and X-Forwarded-Proto
#: count from this computer: they give no rights.
MEMORYHUB_TRUSTED_PROXIES = env_networks("MEMORYHUB_TRUSTED_PROXIES", default=[])
ALLOWED_HOSTS = [
    *env_list("MEMORYHUB_ALLOWED_HOSTS", default=["localhost", "127.0.0.1", "[::1]"]),
    *filter(None, [_PUBLIC.host]),
]
CSRF_TRUSTED_ORIGINS = [*filter(None, [_PUBLIC.origin])]
FORCE_SCRIPT_NAME = _PUBLIC.prefix or None
CSRF_FAILURE_VIEW = "memoryhub.views.form_refused"
SESSION_COOKIE_SECURE = CSRF_COOKIE_SECURE = _PUBLIC.is_https
SESSION_COOKIE_PATH = CSRF_COOKIE_PATH = f"{_PUBLIC.prefix}/"
SECURE_HSTS_SECONDS = env_int(
    "MEMORYHUB_HSTS_SECONDS", default=30 * 86_400 if _PUBLIC.is_https else 0
)
#: Of `check --deploy`: HSTS is for this host name alone, and the proxy in front
#: redirects to https; programs of this computer use http.
SILENCED_SYSTEM_CHECKS = ["security.W005", "security.W008", "security.W021"]

INSTALLED_APPS = [
    "memoryhub.audit",
    "memoryhub.people",
    "memoryhub.accounts",
    "memoryhub.journal",
    "topics",
    "snapshots",
    "memoryhub.handoffs",
    "memoryhub.claims",
    "memoryhub.comments",
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
    "allauth.account",
    "allauth.mfa",
    "allauth.socialaccount",
]

MIDDLEWARE = [
    "django.middleware.security.SecurityMiddleware",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "django.middleware.gzip.GZipMiddleware",
    "memoryhub.web.kit.stylesheet.stylesheet_served",
    "memoryhub.api.failures.one_error_shape",
    # Around all that sets cookies.
    "memoryhub.web.kit.http.cookies_secured",
    # Around sessions: who has signed in stays so.
    "memoryhub.database.durability.commits_synced",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.locale.LocaleMiddleware",
    "memoryhub.api.failures.one_version",
    "memoryhub.api.failures.dated",
    # It states the length of an answer that the next one has masked.
    "django.middleware.common.CommonMiddleware",
    "memoryhub.api.failures.masked_answers",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "memoryhub.web.people.middleware.loopback_trusted",
    # Before the next one, which notes who is signed in.
    "memoryhub.web.accounts.middleware.ProxySignsIn",
    # Around all that signs in, refuses or answers a person.
    "memoryhub.web.audit.middleware.Audited",
    "memoryhub.web.accounts.middleware.team_addresses",
    # Before the next one, which shows workspaces.
    "memoryhub.web.accounts.middleware.SecondFactorFirst",
    # Before the next one, which reads bodies.
    "memoryhub.web.people.middleware.SignedIn",
    # After the check of rights.
    "memoryhub.web.audit.middleware.RevealsAudited",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django_htmx.middleware.HtmxMiddleware",
    "allauth.account.middleware.AccountMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "memoryhub.web.kit.http.content_security_policy",
    "memoryhub.web.kit.http.own_browser_alone",
    "memoryhub.web.people.middleware.preferred_zone",
    "memoryhub.web.kit.masking.secrets_masked",
    "memoryhub.runtime.serving.reading.ReadInTime",
]

ROOT_URLCONF = "memoryhub.urls"
WSGI_APPLICATION = "memoryhub.wsgi.application"

_LOADERS = [
    "memoryhub.web.kit.template_files.Loader",
    "django.template.loaders.app_directories.Loader",
]
TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [BASE_DIR / "templates"],
        "OPTIONS": {
            "loaders": [("django.template.loaders.cached.Loader", _LOADERS)],
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
                "memoryhub.web.kit.http.standing",
                "memoryhub.web.kit.listing.page_query",
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
            "timeout": PATIENCE,
            "factory": HubConnection,
            "init_command": "PRAGMA journal_mode=WAL; PRAGMA synchronous=NORMAL;"
            f"PRAGMA secure_delete=ON; {SMALL_CACHE};",
        },
        # A file, so that tests run on the same write-ahead log as the product.
        "TEST": {"NAME": MEMORYHUB_DATA / "test.sqlite3"},
    }
}
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"
AUTH_USER_MODEL = "people.User"

# On one's own machine a browser's sign-in is in its cookie alone, signed with the key
# of this hub; a team's is in the database. Browsers send the cookies of a computer to
# all of its ports, so the name is the hub's.
SESSION_ENGINE = "memoryhub.accounts.sessions"
SESSION_COOKIE_NAME = f"memoryhub_{hashlib.sha256(SECRET_KEY.encode()).hexdigest()[:8]}"
SESSION_COOKIE_AGE = 90 * 86_400
MESSAGE_STORAGE = "memoryhub.web.audit.middleware.NotedMessages"

# Accounts of a team: docs/team.md. Without MEMORYHUB_TEAM no address leads there.
AUTHENTICATION_BACKENDS = [
    "django.contrib.auth.backends.ModelBackend",
    "memoryhub.accounts.backends.PasswordBackend",
]
AUTH_PASSWORD_VALIDATORS = [
    {"NAME": f"django.contrib.auth.password_validation.{name}"}
    for name in (
        "UserAttributeSimilarityValidator",
        "CommonPasswordValidator",
        "NumericPasswordValidator",
    )
] + [
    {
        "NAME": "django.contrib.auth.password_validation.MinimumLengthValidator",
        "OPTIONS": {"min_length": 10},
    }
]
LOGIN_URL, LOGIN_REDIRECT_URL, LOGOUT_REDIRECT_URL = "account_login", "home", "home"
PASSWORD_RESET_TIMEOUT = 86_400
ACCOUNT_ADAPTER = "memoryhub.accounts.adapters.AccountAdapter"
ACCOUNT_PASSWORD_RESET_TOKEN_GENERATOR = "memoryhub.accounts.reset_keys.ResetKeys"
ACCOUNT_LOGIN_METHODS = {"username", "email"}
ACCOUNT_SIGNUP_FIELDS = ["username*", "email", "password1*", "password2*"]
ACCOUNT_FORMS = {"login": "memoryhub.web.accounts.forms.SignInForm"}
ACCOUNT_EMAIL_VERIFICATION = "optional" if EMAIL.host else "none"
ACCOUNT_EMAIL_UNKNOWN_ACCOUNTS = False
ACCOUNT_EMAIL_SUBJECT_PREFIX = "MemoryHub: "
ACCOUNT_CHANGE_EMAIL = ACCOUNT_LOGIN_ON_PASSWORD_RESET = True
ACCOUNT_SESSION_REMEMBER = True
ACCOUNT_PRESERVE_USERNAME_CASING = False
ACCOUNT_USER_DISPLAY = "memoryhub.people.persons.shown_name"
MFA_ADAPTER = "memoryhub.accounts.adapters.SecondFactorAdapter"
MFA_FORMS = {
    "authenticate": "memoryhub.web.accounts.forms.FactorForm",
    "reauthenticate": "memoryhub.web.accounts.forms.FactorAgainForm",
    "activate_totp": "memoryhub.web.accounts.forms.AppForm",
    "add_webauthn": "memoryhub.web.accounts.passkey_forms.NewPasskeyForm",
    "authenticate_webauthn": "memoryhub.web.accounts.passkey_forms.PasskeyFactorForm",
    "login_webauthn": "memoryhub.web.accounts.passkey_forms.PasskeyForm",
    "reauthenticate_webauthn": "memoryhub.web.accounts.passkey_forms.PasskeyAgainForm",
}
MFA_SUPPORTED_TYPES = ["totp", "webauthn", "recovery_codes"]
MFA_PASSKEY_LOGIN_ENABLED = MFA_ALLOW_UNVERIFIED_EMAIL = True
MFA_TOTP_TOLERANCE = 1
SOCIALACCOUNT_ADAPTER = "memoryhub.accounts.adapters.ProviderAdapter"
SOCIALACCOUNT_EMAIL_VERIFICATION = "none"
SOCIALACCOUNT_STORE_TOKENS, SOCIALACCOUNT_REAUTHENTICATION_REQUIRED = False, True
SOCIALACCOUNT_OPENID_CONNECT_URL_PREFIX = "oidc"
_OIDC = {
    "provider_id": "sso",
    "name": MEMORYHUB_OIDC_NAME,
    "client_id": MEMORYHUB_OIDC_CLIENT_ID,
    "secret": os.environ.get("MEMORYHUB_OIDC_CLIENT_SECRET", "").strip(),
    "settings": {"server_url": MEMORYHUB_OIDC_URL, "oauth_pkce_enabled": True},
}
SOCIALACCOUNT_PROVIDERS = {
    "openid_connect": {"APPS": [_OIDC] if MEMORYHUB_OIDC_URL else []}
}

EMAIL_BACKEND = EMAIL.backend
EMAIL_HOST, EMAIL_PORT = EMAIL.host, EMAIL.port
EMAIL_HOST_USER, EMAIL_HOST_PASSWORD = EMAIL.user, EMAIL.password
EMAIL_USE_TLS, EMAIL_USE_SSL = EMAIL.starts_tls, EMAIL.is_tls
EMAIL_TIMEOUT = 10
DEFAULT_FROM_EMAIL = EMAIL.sender

LANGUAGE_CODE = "en"
LANGUAGES = [("en", "English"), ("zh-hans", "简体中文")]
USE_I18N = True
TIME_ZONE = "UTC"


def _machine_zone() -> str:
    """Return the IANA name of the machine's zone; UTC if it is not known by one."""
    asked = os.environ.get("TZ", "").removeprefix(":")
    place = asked if asked.startswith("/") else os.path.realpath("/etc/localtime")
    name = asked if asked and place != asked else place.partition("/zoneinfo/")[2]
    try:
        return ZoneInfo(name).key
    except (KeyError, ValueError, OSError):
        return "UTC"


#: What a client's environment has to equal for a server to run its commands.
STARTED_WITH = variables()
#: Zone of workspaces whose files state none. Django changes TZ once it has settings.
MACHINE_ZONE = _machine_zone()
USE_TZ = True

MEMORYHUB_LOG = env_choice("MEMORYHUB_LOG", "text", "json")
_IS_JSON = MEMORYHUB_LOG == "json"
LOGGING = {
    "version": 1,
    "disable_existing_loggers": False,
    "filters": {
        "masked": {"()": "memoryhub.web.kit.masked_log.MaskedLog"},
        "textless": {"()": "memoryhub.errors.json_log.WithoutTexts"},
    },
    "formatters": {
        "safe": {"()": "memoryhub.errors.terminal.LogFormatter"},
        "json": {"()": "memoryhub.errors.json_log.JsonFormatter"},
    },
    "handlers": {
        "console": {
            "class": "logging.StreamHandler",
            "filters": ["textless", "masked"] if _IS_JSON else ["masked"],
            "formatter": "json" if _IS_JSON else "safe",
        },
    },
    "loggers": {
        "memoryhub.requests": {"level": "INFO" if _IS_JSON else "WARNING"},
        # Refusals are lines of requests already.
        "django.request": {"level": "ERROR" if _IS_JSON else "WARNING"},
    },
    "root": {"handlers": ["console"], "level": "WARNING"},
}

# The prefix of scripts differs between threads.
STATIC_URL = f"{_PUBLIC.prefix}/static/"
STATICFILES_DIRS = [BASE_DIR / "static"]
# Served from where they are installed: nothing to collect after `pip install`.
WHITENOISE_USE_FINDERS = True

# A folder is uploaded file by file; sync/uploads.py has its own limits.
DATA_UPLOAD_MAX_NUMBER_FILES = 20_000
DATA_UPLOAD_MAX_MEMORY_SIZE = 16_000_000

SECURE_CONTENT_TYPE_NOSNIFF = True
SECURE_REFERRER_POLICY = "same-origin"
X_FRAME_OPTIONS = "DENY"
