"""Query of a list page: its parameters, filter links, sort headings and cursors.

A page declares a frozen dataclass with a field made by `parameter` for each query
parameter. `ListQuery.of` parses a request into it; its methods write the addresses of
changed queries. What the address has and the page does not know is in `unknown`: pages
name it, texts are refused with it (`of_text`). A page without a query of its own has
that of `page_query`, with the parameters that its view `takes`.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, fields
from functools import wraps
from typing import Any, NamedTuple, Self

from django.http import Http404, HttpRequest, HttpResponse, QueryDict

from memoryhub.journal.models import Agent, Workspace
from memoryhub.values.cursors import MAX_LENGTH, decode_time_key, encode_cursor
from memoryhub.web.kit.http import typed, whole_number
from memoryhub.web.kit.links import with_query
from topics.queries.topics import topic_ids_named

#: Parameters of every page: where a form returns to, and whether secrets are shown.
_PAGE_WIDE = frozenset({"next", "show"})


@dataclass(frozen=True, slots=True)
class Parameter:
    """A query parameter: how its text is read, and a value is written.

    `read` raises ValueError for an invalid text. `in_form`: the page's form has an
    input for it; other values are carried as hidden inputs. A `cursor` is a place in
    the list: no filter, and dropped from the addresses of changed queries.
    """

    name: str
    choices: Collection[str] | None = None
    read: Callable[[str], Any] = str
    write: Callable[[Any], object] = str
    in_form: bool = False
    filters: bool = True
    cursor: bool = False
    length: int = 200

    def value_of(self, text: str) -> Any:
        """Parse a text; raises ValueError if it is no value of this parameter."""
        if self.choices is not None and text not in self.choices:
            raise ValueError(text)
        return self.read(text)


#: Of a parameter that a page does not have.
_NONE = Parameter("", choices=())


def parameter(name: str, *, default: Any = "", **options: Any) -> Any:
    """Declare a field of a `ListQuery`; the options are those of `Parameter`."""
    known = Parameter(name, **options)
    return field(default=default, metadata={"parameter": known})


def number(name: str, *, default: int | None = 0, digits: int = 18) -> Any:
    """Declare a cursor that is a whole number."""
    return parameter(name, default=default, read=whole(digits), cursor=True)


def whole(digits: int) -> Callable[[str], int]:
    """Return the reader of a whole number of at most `digits` digits."""

    def read(text: str) -> int:
        found = whole_number(text, digits=digits)
        if found is None:
            raise ValueError(text)
        return found

    return read


def time_cursor(name: str) -> Any:
    """Declare the cursor of a list by time: a `TimeKey`, or None for its start."""
    return parameter(
        name,
        default=None,
        read=decode_time_key,
        write=lambda key: encode_cursor(*key),
        cursor=True,
        length=MAX_LENGTH,
    )


class Unknown(NamedTuple):
    """A parameter or value that the page does not know; `url` leaves it out."""

    name: str
    value: str
    url: str


class UnknownParameters(Http404):
    """The address of a text has parameters or values that it does not know."""

    def __init__(self, unknown: Sequence[Unknown]) -> None:
        super().__init__(", ".join(f"{one.name}={one.value}" for one in unknown))
        self.unknown = unknown


@dataclass(frozen=True, slots=True)
class FilterLink:
    """A link to a changed query; that of a chosen value removes the filter."""

    label: str
    url: str
    count: object = None
    current: bool = False
    icon: str = ""


class Heading(NamedTuple):
    """A column's heading; `sorted` is the direction, empty if not sorted by it."""

    label: str
    style: str
    url: str
    sorted: str


@dataclass(frozen=True, slots=True)
class ListQuery:
    """Parsed query of a list page."""

    path: str = ""
    unknown: tuple[Unknown, ...] = ()
    sort: str = ""

    @classmethod
    def of(
        cls,
        request: HttpRequest,
        *,
        without: Collection[str] = (),
        known: Mapping[str, Callable[[str], object]] | None = None,
    ) -> Self:
        """Parse a request's query string.

        `without`: parameters that this page lacks. `known` tests values that name rows:
        an unknown name is reported, and still filters.
        """
        values, unknown = dict[str, Any](), list[Unknown]()
        taken = _PAGE_WIDE | getattr(request, "taken", frozenset())
        declared = {
            found.name: (name, found)
            for name, found, _ in parameters_of(cls)
            if found.name not in without
        }
        for sent in request.GET:
            name, found = declared.get(sent, ("", _NONE))
            text = typed(request.GET, sent, size=found.length)
            if not text or (sent in taken and not name):
                continue
            with suppress(ValueError):
                values[name] = found.value_of(text)
                if (known or {}).get(name, bool)(text):
                    continue
            unknown.append(Unknown(sent, text, _without(request, sent)))
        return cls(path=request.path, unknown=tuple(unknown), **values)

    @classmethod
    def of_text(cls, request: HttpRequest, **options: Any) -> Self:
        """Parse the query of a text, feed or download: it has no room for a notice.

        Raises:
            UnknownParameters: 404, naming what the text does not know.
        """
        found = cls.of(request, **options)
        if found.unknown:
            raise UnknownParameters(found.unknown)
        return found

    def given(self, request: HttpRequest) -> QueryDict:
        """Return the request's parameters without those that the page lacks."""
        query = request.GET.copy()
        for one in self.unknown:
            del query[one.name]
        return query

    @property
    def filtered(self) -> bool:
        """True if a filter is set; order, view and place in the list are none."""
        return any(
            getattr(self, name) != default
            for name, found, default in parameters_of(type(self))
            if found.filters and not found.cursor
        )

    @property
    def cleared(self) -> str:
        """Address without filters; order and view stay."""
        known = parameters_of(type(self))
        return self.address(
            **{name: default for name, p, default in known if p.filters}
        )

    @property
    def text_length(self) -> int:
        """Most characters of the text that the list is filtered by."""
        known = parameters_of(type(self))
        return next((p.length for name, p, _ in known if name == "text"), 0)

    @property
    def hidden(self) -> list[tuple[str, object]]:
        """Name and value of each parameter that the page's form has no input for."""
        values = self._written({}).items()
        shown = {
            found.name for _, found, _ in parameters_of(type(self)) if found.in_form
        }
        return [(name, value) for name, value in values if name not in shown]

    def address(self, **changes: object) -> str:
        """Return the address of this query, fields replaced, its cursor dropped."""
        return with_query(self.path, **self._written(changes))

    def _written(self, changes: dict[str, object]) -> dict[str, object]:
        found = {}
        for name, known, default in parameters_of(type(self)):
            value = default if known.cursor else getattr(self, name)
            value = changes.get(name, value)
            if value != default:
                found[known.name] = known.write(value)
        return found

    def link(
        self,
        name: str,
        value: object,
        label: object,
        count: object = None,
        icon: str = "",
    ) -> FilterLink:
        """Return the link that filters by a value; the chosen one removes it."""
        current = getattr(self, name) == value
        url = self.address(**{name: "" if current else value})
        return FilterLink(str(label), url, count, current, icon)

    def heading(
        self, label: object, orders: Sequence[tuple[str, str]] = (), style: str = ""
    ) -> Heading:
        """Return a column's heading; `orders`: each with its direction.

        Its link sorts by the first order, then by the next.
        """
        if not orders:
            return Heading(str(label), style, "", "")
        names = [name for name, _ in orders]
        following = names.index(self.sort) + 1 if self.sort in names else 0
        url = self.address(sort=names[following % len(names)])
        return Heading(str(label), style, url, dict(orders).get(self.sort, ""))


def takes(
    *names: str,
) -> Callable[[Callable[..., HttpResponse]], Callable[..., HttpResponse]]:
    """Declare the parameters that a view reads itself: first values of its form."""

    def declare(view: Callable[..., HttpResponse]) -> Callable[..., HttpResponse]:
        @wraps(view)
        def declared(request: HttpRequest, *named: Any, **also: Any) -> HttpResponse:
            request.taken = frozenset(names)  # type: ignore[attr-defined]
            return view(request, *named, **also)

        return declared

    return declare


def page_query(request: HttpRequest) -> dict[str, object]:
    """Context processor: `query` of a page that has none of its own."""
    is_page = request.method == "GET" and request.resolver_match is not None
    return {"query": ListQuery.of(request)} if is_page else {}


def parameters_of(query: type[ListQuery]) -> tuple[tuple[str, Parameter, Any], ...]:
    """Return the parameters of a query: field, parameter and default."""
    return tuple(
        (known.name, known.metadata["parameter"], known.default)
        for known in fields(query)
        if "parameter" in known.metadata
    )


def _without(request: HttpRequest, name: str) -> str:
    query = request.GET.copy()
    del query[name]
    return f"{request.path}?{query.urlencode()}" if query else request.path


def names_known(workspace: Workspace) -> dict[str, Callable[[str], object]]:
    """Return the tests of the names of topics and agents, for `ListQuery.of`."""
    agents = Agent.objects.filter(workspace=workspace)
    return {
        "topic": lambda name: topic_ids_named(workspace, name),
        "agent": lambda name: agents.filter(name=name).exists(),
    }
