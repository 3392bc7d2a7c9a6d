"""A message in hosts' JSON: parsed into blocks, and written back with less.

Anthropic's blocks (Claude Code), those of pi (OpenClaw, Clawdbot), the tool calls of
OpenAI and compact.rs's own. Unknown parts are preserved, and count as nothing.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from memoryhub.compaction.messages import Block, Message, Role

Body = Mapping[str, Any]
#: Tools by the ids of their uses; results often lack the name.
Names = Mapping[str, str]

_ROLES: Mapping[str, Role] = {
    "user": "user",
    "assistant": "assistant",
    "model": "assistant",
    "tool": "tool",
    "function": "tool",
    "toolresult": "tool",
    "tool_result": "tool",
    "bashexecution": "tool",
    "compactionsummary": "summary",
    "branchsummary": "summary",
}
_TEXTS = frozenset({"text", "input_text", "output_text"})
_USES = frozenset({"tool_use", "toolcall", "tool_call", "server_tool_use"})
_RESULTS = frozenset({"tool_result", "toolresult"})
#: Possible names of a message's content; the first one found counts.
_CONTENTS = ("content", "blocks", "output", "summary")
_OUTPUTS = ("content", "output")


def message_of(body: Body, source: int, names: Names) -> Message:
    """Return a message's blocks, one for each part of its content, then its calls."""
    role = _ROLES.get(_text(body.get("role")).casefold(), "system")
    blocks = tuple(_blocks(body, role, names))
    return Message(role, blocks, source)


def with_outputs(body: Body, before: Message, after: Message) -> dict[str, Any]:
    """Return a copy of a body with the tool results of `after`.

    `before` is the message as parsed from the body.
    """
    if before == after:
        return dict(body)
    name = _content_name(body)
    content = body.get(name)
    if _is_one_result(body, before.role):
        return {**body, name: _shortened(content, after.results[0].text)}
    parts = content if isinstance(content, list) else []
    changed = zip(parts, before.blocks, after.blocks, strict=False)
    return {**body, name: [_part(part, old, new) for part, old, new in changed]}


def _blocks(body: Body, role: Role, names: Names) -> Iterator[Block]:
    content = body.get(_content_name(body))
    if _is_one_result(body, role):
        yield _result_message(body, content, names)
    elif isinstance(content, list):
        yield from (_block(part, names) for part in content)
    elif isinstance(content, str):
        yield Block("text", _text(content))
    calls = body.get("tool_calls")
    yield from map(_call, calls if isinstance(calls, list) else ())


def _content_name(body: Body) -> str:
    return next((name for name in _CONTENTS if name in body), "content")


def _is_one_result(body: Body, role: Role) -> bool:
    """Return whether a message is a tool's result as a whole, not a holder of some."""
    content = body.get(_content_name(body))
    holds_results = isinstance(content, list) and any(
        isinstance(part, dict) and _kind(part) in _RESULTS for part in content
    )
    return role == "tool" and "blocks" not in body and not holds_results


def _block(part: Any, names: Names) -> Block:
    if isinstance(part, str):
        return Block("text", _text(part))
    if not isinstance(part, dict):
        return Block("other", "")
    kind = _kind(part)
    if kind in _TEXTS:
        return Block("text", _text(part.get("text")))
    if kind in _USES:
        given = part.get("input", part.get("arguments"))
        return Block("use", _json(given), _text(part.get("name")), _id(part, "id"))
    if kind in _RESULTS:
        use = _id(part, "tool_use_id", "toolCallId")
        name = _text(part.get("tool_name")) or names.get(use, "")
        output = next((part[key] for key in _OUTPUTS if key in part), "")
        failed = part.get("is_error") is True
        return Block("result", _joined(output), name, use, failed)
    return Block("other", _text(part.get("thinking")))


def _result_message(body: Body, content: Any, names: Names) -> Block:
    """Return the tool result of a message that has nothing else."""
    use = _id(body, "toolCallId", "tool_call_id", "tool_use_id")
    named = next((body[k] for k in ("toolName", "tool_name", "name") if k in body), "")
    bash = "bash" if "exitCode" in body else ""
    failed = body.get("isError") is True or body.get("exitCode") not in (None, 0)
    name = _text(named) or names.get(use, bash)
    return Block("result", _joined(content), name, use, failed)


def _call(call: Any) -> Block:
    """Return one of OpenAI's tool calls."""
    function = call.get("function") if isinstance(call, dict) else None
    if not isinstance(function, dict):
        return Block("other", "")
    given = _json(function.get("arguments"))
    return Block("use", given, _text(function.get("name")), _id(call, "id"))


def _kind(part: Body) -> str:
    return _text(part.get("type")).casefold()


def _id(part: Body, *keys: str) -> str:
    return next((_text(part[key]) for key in keys if part.get(key)), "")


def _text(value: Any) -> str:
    """Return a string without lone surrogates; empty for anything else."""
    if not isinstance(value, str):
        return ""
    if value.isascii():
        return value
    return value.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


def _json(value: Any) -> str:
    """Return the arguments of a tool as text."""
    if value is None or isinstance(value, str):
        return _text(value)
    return _text(json.dumps(value, ensure_ascii=False, separators=(",", ":")))


def _joined(content: Any) -> str:
    """Return the texts of an output, joined by newlines."""
    if isinstance(content, str):
        return _text(content)
    if not isinstance(content, list):
        return "" if content is None else _json(content)
    texts = (part if isinstance(part, str) else _part_text(part) for part in content)
    return "\n".join(_text(text) for text in texts if text is not None)


def _part_text(part: Any) -> Any:
    return part.get("text") if isinstance(part, dict) else None


def _part(part: Any, old: Block, new: Block) -> Any:
    """Return a part of a content with the new output of its tool."""
    if old == new or new.kind != "result":
        return part
    name = next((key for key in _OUTPUTS if key in part), "content")
    return {**part, name: _shortened(part.get(name), new.text)}


def _shortened(content: Any, output: str) -> Any:
    """Return a new output in the old one's form: a text, or parts with one text."""
    if not isinstance(content, list):
        return output
    others = [p for p in content if isinstance(p, dict) and not _text(p.get("text"))]
    return [{"type": "text", "text": output}, *others]
