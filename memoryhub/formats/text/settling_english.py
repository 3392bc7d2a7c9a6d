"""English constructions that settle something without a verb of deciding.

They are many, and most sentences with a word of one hold none of the others: each is
searched by its own words.
"""

from __future__ import annotations

from memoryhub.formats.text.stems import family, parted_family

#: A short name of a thing, before or behind a word that weighs it.
_THING = r"[^\s,.;:!?]{1,24}(?: [^\s,.;:!?]{1,24}){0,2}"
#: English participles that tell what somebody did or what went wrong, not a choice.
_HAPPENED = (
    r"(?:needed|available|work\w*|appear\w*|happen\w*|exist\w*|respond\w*|valid|seen"
    r"|possible|there|has|have|open|true|the|a|an|in|on|at|relevant|necessary|required"
    r"|affected|visible|reachable|fail\w*|crash\w*|leak\w*|hang\w*|block\w*|break\w*"
    r"|match\w*|fits?|answers?|exists?|reproduc\w+|fire\w*|stuck|empty|alone|sure)"
)
ENGLISH = parted_family(
    "stay|s kept|e kept|t kept|chosen|picked|dropped|ruled out|thrown out|struck off"
    "|discarded|left out|excluded|taken out|went back|, not |^not |^no |out of the"
    "|plumped|coming back| over |instead of|rather than|no longer|decision was"
    "|decision to|decision has|standardi|signed off|only|is out|are out|keeping "
    "|moving |adopt|won't |will not |consolidat|in favo|agreement|consensus|verdict"
    "|committing to|committed to|locked in|capped at|freez|frozen|^moved |moved it "
    "|moved to |moved until|moved till|^migrat|switch|we will |we'll |will use"
    "|will stay|deprecat|discontinu|stays|stay |not doing|not going to|not worth"
    "|phased out|phasing out|holding off|held off|got the nod|green light|greenlit"
    "|to be |wins|won out|prevailed|pinned|pinning|limit|reverted to the|cut from"
    "|put off",
    # One over the other.
    family(
        " over ",
        r"^(?!(?:met|de|het) )(?!.{0,50}\b(?:is|are|was|were|went|go|goes|going"
        r"|came|come"
        r"|comes|take|takes"
        r"|took|taken|handed|hand|left|carried|carry|all|turned|turn|just|game"
        r"|start|got"
        r"|get|run|ran|talk|talked|move|moved|switched|read|look|looked|spilled"
        r"|fell|hold"
        r"|be|been|spread|argued|flip|roll|rolled|pass|passed|boil\w*|fail\w*|slightly"
        r"|well|up|down|back|crossed|discussion|dispute|fight|control|power"
        r"|iterat\w*|loop"
        r"|tied|sent|send|sleep|slept|pull|pulled|ssh|http|https|tcp|hovers?"
        r"|prefers?|\d+"
        r"|rpc|rest|search|find|reach|attempts|strict|of|in|for) over )"
        rf"{_THING} over (?!the |a |an |this|that|it\b|and|here|there|to\b|from"
        rf"|\d|time|all"
        r"|night|half|lunch|dinner|coffee|breakfast|one|two|three|ten|there|christmas"
        r"|easter|\w+day\b|tcp|http|ssh|email|mail|phone|chat|budget|four|every"
        r"|all|errors?"
        r"|several|many)"
        rf"{_THING}(?=$|[.,;:(—–]| because| for| since| as )",
    ),
    # Not the one but the other.
    family(
        "instead of",
        r"\binstead of [^,.;:]{2,60}[,:;]? we (?!had|got|saw|were|found)\w+\b",
    ),
    family(
        "instead of|rather than",
        r"^(?:we|use|uses|using|[\w-]+ (?:uses?|runs?|goes|go|gets?|is|are"
        r"|travels?)|go|run"
        r"|keep|take|ship|store|send|pay|buy|rent|serve|deploy|host"
        r"|the [\w-]+ (?:uses|runs"
        r"|goes|gets|is))\b"
        r"(?=[^:]{0,60} (?:instead of|rather than) [^:]{2,50}$)"
        r"(?!.{0,100}\b(?:was|were|had|got|returned|showed|read|reads|sent"
        r"|sends|came|ended"
        r"|fixed|bug|wrong|shows|gives|gave|returns|error|failed|fails|loaded"
        r"|printed|used"
        r"|wrote|written|because it|mistake|by accident|should|could|would"
        r"|might|maybe|to"
        r" check|try|why|how|learned|lesson|wants?|asks?|says|likes?|prefers?"
        r"|another|\d+"
        r"|is a|are|\w{3,12}ed)"
        r"\b.{0,60}(?:instead|rather) )[^.;?]{2,100} (?:instead of|rather than) (?!\d)",
    ),
    family(
        "no longer",
        rf"\b(?:and|is|are) no longer (?!{_HAPPENED}\b)(?:\w+ed|sold|sent|built|part of"
        r"|run|done|kept|taken|given|paid|shown|in use|an option|in scope)\b",
    ),
    # What stays, what was kept, and what is done so and not so.
    family(
        "stay",
        r"\bstays?(?=[.;,]|$| (?:out|off|on|put)\b| at \d)(?<!she stays)"
        r"(?<!he stays)|\bthere (?:it|they) stays?\b",
    ),
    family(
        "kept|chosen|picked|dropped|ruled out|thrown out|struck off|discarded|left out"
        "|excluded|taken out",
        r"\b(?:was|were|got|is|are) (?:kept|chosen|picked|dropped|ruled out|thrown out"
        r"|struck off|discarded|left out|excluded|taken out of)(?! (?:in|at|for"
        r"|by|on|off"
        r"|up"
        r"|busy|down)\b)\b",
    ),
    family("went back", r"\band went back to (?:the|our|plain|\w+)\b"),
    family("discarded", r"\bwas \w+ed and (?:\w+ ){0,2}discarded\b"),
    family("ed, not ", r"\b(?:is|are) \w+ed, not \w+ed\b"),
    family("^not ", r"^not \w+ed, \w+"),
    family("^no ", r"^no (?!\w+r\b)[\w -]{2,40}: (?!error|reply|answer)\w"),
    family("out of the", r"\bout of the (?:running|question|plan)\b"),
    family("plumped", r"\bplumped for\b"),
    family("coming back", r"\b(?:is|are) not coming back\b"),
    # Said of the decision itself.
    family(
        "decision ",
        r"\b(?:the )?decision (?:was|has been|is) (?:made|taken|reached)\b"
        r"|\bdecision to"
        r" (?!be made)(?!\w+ (?:is|was) (?:still|pending))\w+",
    ),
    family(
        "consensus|verdict|agreement|agreed|choice|pick",
        r"\b(?:the|our) (?:consensus|verdict|agreement|agreed (?:plan|way|line)|choice"
        r"|pick)"
        r"(?: (?:is|was|fell|stands)|:)",
    ),
    family(
        "standardi|consolidat|committ",
        r"\b(?:we|team|they|\w+) (?:have |has |are |is )?(?:standardi[sz](?:ed?|ing)"
        r"|consolidat(?:ed?|ing)|committ(?:ed|ing)) (?:on|to)\b"
        r"|^(?:standardi[sz](?:ed|ing|e)|consolidat(?:ed|ing|e)) on\b",
    ),
    family(
        "signed off|phased out|discontinued|deprecated in|frozen|pinned|locked in"
        "|capped at|limited to",
        r"\bsigned off on\b(?! (?:by|the phone))|\b(?:has|have|is"
        r"|are) (?:been )?(?:signed"
        r" off|phased out|discontinued|deprecated in favou?r|frozen (?:until"
        r"|for|at)|pinned"
        r" (?:to|at)|locked in|capped at|limited to)\b",
    ),
    family("the green light|the nod", r"\b(?:got|has|gets) the (?:green light|nod)\b"),
    family("won out", r"\bwon out\b"),
    family("holding off", r"\bholding off (?:on|with|until)\b"),
    # What will be, and what will not.
    family(
        "we will |we'll |we’ll ",
        r"\bwe(?: will|['’]ll) (?:only |all |both |always |never |therefore |now |then"
        r" |also |instead )?"
        r"(?:use|keep|adopt|store|run|ship|host|support|stay|drop|standardi[sz]e|charge"
        r"|sell|offer|accept|move|migrate|treat|publish|pin|freeze|limit|cap|serve|stop"
        r"|write down|no longer|not|release|start with|build on|go for|buy|rent"
        r"|hire)\b",
    ),
    family(
        " will ",
        r"\b(?:the|our|all|each|every) [\w -]{2,40} will (?:\w+ )?(?:start|stay"
        r"|be|run|use"
        r"|go|remain|live|close|open|end) [^.;?]{0,60}(?:only|instead"
        r"|from now on|for good"
        r"|unchanged|as (?:is|they are|it is))\b",
    ),
    family(
        "will not be |won't be |won’t be ",
        r"\b(?:will not|won['’]t) be (?:rewritten|renewed|supported|offered|sold|used"
        r"|extended|replaced|built|ported|migrated|continued|part of|shipped|released"
        r"|included)\b",
    ),
    family(
        " is out| are out",
        r"\b(?:so|therefore|hence|which means) (?:the )?[\w -]{2,40} (?:is|are) out\b"
        r"|^[\w .'’-]{2,30} (?:is|are) out[:;,.—–]",
    ),
    # Doing it now: the form of a note.
    family(
        "^keeping|^adopting|^moving |^not |^holding off|^phasing |^pinning|^freezing"
        "|^deferring|^postponing|^retiring|^skipping|^sunsetting",
        r"^(?:keeping|adopting|moving (?:to|off|away)|not (?:doing|going to"
        r"|going with|building"
        r"|supporting|buying|renewing|using|migrating|rewriting)|holding off"
        r"|phasing out"
        r"|pinning|freezing|deferring|postponing|retiring|skipping|sunsetting)\b"
        r"(?! (?:an eye|track|busy|up|well))",
    ),
    family(
        " from ",
        r"^(?:moved|migrated|switched|switching|moving|migrating"
        r"|changed) (?!the bug|on\b)"
        r"[^.;?]{2,50}"
        r"(?: away)? from [^.;?]{2,50} to\b",
    ),
    family(
        "^switched |^switching ",
        r"^(?:switched|switching) (?:over )?to (?!the"
        r" (?:branch|tab|window|directory|next)|branch|another topic)",
    ),
    family(", not ", r"^(?:use|stick to|default to) \w[^.;?]{2,60}, not \w"),
    family(
        "put off|deferred|pushed|postponed|delayed|moved",
        r"\b(?:put off|deferred|pushed|postponed|delayed|moved) (?:it "
        r")?(?:until|till|to)"
        r" (?:after|next|spring|summer|autumn|winter|q[1-4]|\w+uary|march|april"
        r"|may|june"
        r"|july|august|\w+ember|october|later|the)\b(?! (?:file|folder|archive"
        r"|bottom|top))"
        r"(?=.{0,60}$)",
    ),
    family(
        ": ",
        r"^[\w .'’/-]{2,40}: (?:ruled out|rejected|dropped|deferred|postponed"
        r"|not now|out"
        r"|no(?=[,.;(—]|$)|not (?:worth|needed|now|for now|in|this)|scrapped|shelved"
        r"|declined|parked"
        r"|cancelled|chosen|keep|stays?)\b(?! (?:one|errors?|problems?|issues?"
        r"|answer|reply"
        r"|news|change|data|luck|memory|connections?))",
    ),
)
