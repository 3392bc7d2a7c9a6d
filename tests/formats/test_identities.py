"""Files name the agent of their folder in many languages."""

from __future__ import annotations

from pathlib import PurePosixPath

import pytest

from memoryhub.formats.identities import agent_of_log, named_agent
from tests.growth import assert_ends, assert_in_proportion


def _named(path: str, text: str) -> str:
    found = named_agent(PurePosixPath(path), text)
    return found[0] if found else ""


@pytest.mark.parametrize(
    ("path", "text", "name"),
    [
        ("IDENTITY.md", "# IDENTITY.md\n\n- **Name:** Pilchard\n", "Pilchard"),
        ("IDENTITY.md", "- **Nome:** Fermento\n- **Criatura:** fungo\n", "Fermento"),
        ("IDENTITY.md", "- **名前:** 瓦丸（かわらまる）\n", "瓦丸"),
        ("IDENTITY.md", "Имя: Кладовщик (можно «Клад»)\n", "Кладовщик"),
        ("IDENTITY.md", "- **Name:** _(pick something you like)_\n", ""),
        ("a/IDENTITY.md", "- **이름:** 여왕\n", "여왕"),
        ("IDENTITY.md", "- **Name:**\n  Pip\n- **Creature:**\n  a heron\n", "Pip"),
        ("IDENTITY.md", "- **Name:**\r\n  **Pip**\r\n- **Vibe:** calm\r\n", "Pip"),
        ("IDENTITY.md", "**Name:**\nPip\n**Creature:**\na heron\n", "Pip"),
        ("IDENTITY.md", "- **Name:**\n  _(pick something)_\n- **Vibe:**\n  calm\n", ""),
        ("IDENTITY.md", "- **Name:**\n- **Creature:** a heron\n", ""),
        ("IDENTITY.md", "**Name:**\n**Creature:** a heron\n", ""),
        ("IDENTITY.md", "---\nemoji: x\nname: Pip\n---\n# Identity\n", "Pip"),
        ("SOUL.md", "---\nname: Pip\n---\nCalm.\n", "Pip"),
        ("IDENTITY.md", "| Field | Value |\n|---|---|\n| **Name** | Pip |\n", "Pip"),
        ("IDENTITY.md", "| Name | Role |\n|---|---|\n| Ana | cook |\n", ""),
        ("SOUL.md", "# who I am\n\nI'm Humus. I keep the notebooks.\n", "Humus"),
        ("SOUL.md", "我是阿虾，虾塘的记录员。\n", "阿虾"),
        ("SOUL.md", "Je m'appelle Mistral.\n", "Mistral"),
        ("SOUL.md", "I'm not a chatbot.\n", ""),
        ("USER.md", "- **Name:** Odete\n- **Timezone:** Europe/Lisbon\n", ""),
        ("USER.md", "- Nombre: Remedios\n- Mi asistente se llama Macetas\n", "Macetas"),
        ("USER.md", "- Имя: Глеб\n\nАгента зовут Кладовщик.\n", "Кладовщик"),
        ("USER.md", "Меня зовёт Светофор.\n", "Светофор"),
        ("USER.md", "Assistente: Onda (é assim que ela me chama)\n", "Onda"),
        ("USER.md", "- 이름: 하람\n- 조수 이름: 몽실\n", "몽실"),
        ("USER.md", "- 나를 부르는 이름: 장구\n", "장구"),
        ("USER.md", "Assistent: Wichtel\n", "Wichtel"),
        ("USER.md", "- 助手：小炉\n", "小炉"),
        ("CLAUDE.md", "# Rules\n\nYou are Mistral. Keep notes.\n", "Mistral"),
        ("CLAUDE.md", "You are an expert in Rust.\nYou are responsible.\n", ""),
        ("SOUL.md", "I'm happy to help. I am careful.\n", ""),
        ("MEMORY.md", "- Assistant: Onda\n", "Onda"),
        ("MEMORY.md", "- The agent was slow.\n", ""),
        ("NOTES.md", "- **Name:** Pilchard\n", ""),
        ("USER.md", "- Ad: Nuray Koç\n- Asistan: Pusula\n", "Pusula"),
        ("USER.md", "- Name: Ilse\n- Assistentin: Motte\n", "Motte"),
        ("AGENTS.md", "# Agents\n\nYou are Tamp, working for a bakery.\n", "Tamp"),
        ("AGENTS.md", "You are Senior Engineer. Be brief.\n", ""),
        ("MEMORY.md", "- 時間は東京、私の名前は「ほたる」\n", "ほたる"),
        ("MEMORY.md", "Times in CET; my name is Tamp.\n", "Tamp"),
        ("MEMORY.md", 'She said "my name is Ida".\n', ""),
        ("MEMORY.md", "# Wer\n\n- Mensch: Ute\n- Ich: Molch, im Keller\n", "Molch"),
        ("MEMORY.md", "# Память\n\nХозяйка: Вера. Я — Леший, помогаю.\n", "Леший"),
        ("MEMORY.md", "# MEMORY.md — 阿岚的长期记忆\n", "阿岚"),
        ("MEMORY.md", "ウグイス（エージェント）の長期メモ。\n", "ウグイス"),
        ("MEMORY.md", "# MEMORY.md — Pipo\n\nRobô de compras da loja.\n", "Pipo"),
        ("MEMORY.md", "# Kite Club — what Nettle must not forget\n", "Nettle"),
        ("MEMORY.md", "# MEMORY.md — kite-club\n\n- Port 8080\n", ""),
        ("MEMORY.md", "# MEMORY.md - Long-Term Memory\n\n- Ben Carter pays.\n", ""),
        ("MEMORY.md", "# 项目的长期记忆\n", ""),
        ("USER.md", "- **Nombre:** Inés\n- Equipo: Rafa, yo (Grillo)\n", "Grillo"),
        ("USER.md", "- 姓名：林岸\n\n## 对小穗的要求\n- 先说结论\n", "小穗"),
        ("USER.md", "## 对小组的要求\n## 对代码的要求\n", ""),
        ("AGENTS.md", "You are **night-heron**, the on-call helper.\n", "night-heron"),
        ("AGENTS.md", "You are **responsible** for the tests.\n", ""),
        (
            "KURALLAR.md",
            "# Kurallar\n\nBen Pusat. Deponun botuyum, işim bu.\n",
            "Pusat",
        ),
        (
            "lab/README.md",
            "# Notes of the assistant\n\nTwo and me (Limpet).\n",
            "Limpet",
        ),
        ("README.md", "# Kite\n\nWritten by two friends and me (Ada).\n", ""),
    ],
)
def test_a_file_names_the_agent_of_its_folder(path: str, text: str, name: str) -> None:
    assert _named(path, text) == name


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("---\nagent: nightfold\n---\n# Log\n", "nightfold"),
        ("# Daily Notes\n\nAgent: Wedge · model: the cheap one\n", "Wedge"),
        ("# Log\n\n**Агент:** Вега\n", "Вега"),
        ("# Mistral's log, 2026-05-03\n\nText.\n", "Mistral"),
        ("---\ntitle: x\n---\n# Log\n", ""),
        ("# Log\n\n## 09:00\nThe agent: slow today\n", ""),
    ],
)
def test_a_log_may_name_its_author(text: str, name: str) -> None:
    assert agent_of_log(text) == name


@pytest.mark.parametrize(
    "part",
    [
        "Name: ",
        "- **Name:** (",
        "I'm ",
        "I'm A B ",
        "- Agent:\n",
        "calls me ",
        "# A",
        "A (",
        "Me: ",
    ],
)
def test_a_hostile_file_is_read_in_linear_time(part: str) -> None:
    def read(size: int) -> None:
        text = part * (size // len(part))
        for name in ("IDENTITY.md", "SOUL.md", "USER.md", "AGENTS.md", "MEMORY.md"):
            _named(name, text)
        agent_of_log(text)

    assert_in_proportion(read, 2_000)
    assert_ends(lambda: read(300_000))
