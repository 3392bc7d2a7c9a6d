"""Families of constructions that mark open work, in languages of the East.

See `memoryhub.formats.text.open_families`.
"""

from __future__ import annotations

from memoryhub.formats.text.open_families import family

_DONE_RU = (
    r"(?:\w*(?:продл|утвержд|согласован|назначен|оплачен|подтвержд|отправлен|получен"
    r"|заказан|доставлен|выяснен|найден|определ|описан|закончен|заверш|исправлен|решен"
    r"|реш[её]н|готов|закрыт|сдан|подписан|провер|переведен|ясн|понятн|известн)\w*)"
)
RUSSIAN = (
    family("непонятно|неясно|неизвестно", r"\bне(?:понятно|ясно|известно)\b"),
    family(
        "до сих пор|всё ещё|все еще|пока|ещё|еще|так и",
        r"\b(?:до сих пор|вс[её] ещ[её]|так и|пока|ещ[её])(?: \S+){0,2} (?:не|нет|без"
        r"|никто|ничего)\b",
    ),
    family("не ", rf"\bне (?:был[аои]? )?{_DONE_RU}"),
    family("долж", r"\b(?:я|мы|нам|мне) долж(?:ен|на|ны)\b"),
    family(
        "стоим|упёрл|уперл|заблок",
        r"\bстоим (?:из-за|без|на)\b|\bуп[её]рлись\b|\bзаблокирован\w* (?:из-за|на|до)"
        r"\b",
    ),
    family(
        "пока |до тех пор|без ",
        r"\b(?:пока|до тех пор|без)\b.{3,60}\b(?:не можем|не могу|нельзя|не получится"
        r"|не можно)\b",
    ),
    family("не хватает|нехватает|некому", r"\bне ?хватает\b|\bнекому\b"),
    family("никто|никого", r"\b(?:никто|никого)\b.{0,20}\bне\b"),
    family(
        "нет вест|нет ответ|нет новост|тишина",
        r"\bнет (?:вест|ответ|новост)\w*|\bтишина\b",
    ),
)
RUSSIAN_LOOSE = (
    family("истека|заканчив|срок", r"\b(?:истекает|заканчивается) \w+|\bсрок до\b"),
    family("кто ", r"^кто .{0,40}\bзавтра\b|^кто завтра\b"),
    family(
        "надо|нужно|необходимо|следует",
        r"\b(?:надо|нужно|необходимо|следует) (?:\S+ ){0,3}\w+ть(?:ся)?\b",
    ),
    family(
        "принес|верн|сда|привез|позвонит|приедет|сделает",
        r"\b(?:принес[её]т|верн[её]т|сдаст|привез[её]т|позвонит|приедет|принес[её]м"
        r"|сделает)\b",
    ),
)
_ZROBIONE = (
    r"(?:\w*(?:odnowion|zapłacon|opłacon|ustalon|potwierdzon|sprawdzon|wysłan|zamówion"
    r"|dostarczon|rozwiązan|zamknięt|podpisan|przetłumaczon|gotow|jasn|znan|załatwion"
    r"|naprawion|skończon|uzgodnion|zatwierdzon)\w*)"
)
POLISH = (
    family(
        "wciąż|nadal|ciągle|dotąd|do dziś|na razie|jeszcze",
        r"\b(?:wciąż|nadal|ciągle|dotąd|do dziś|na razie|jeszcze)(?: \S+){0,3} (?:nie"
        r"|brak\w*|bez|nikt)\b"
        r"|\b(?:nikt|nie|nic)\b.{0,30}\b(?:wciąż|nadal|dotąd|jeszcze|do dziś)\b",
    ),
    family("nie ", rf"\bnie (?:jest|są|został[aoy]?|ma)? ?{_ZROBIONE}"),
    family(
        "niezap|niespr|niepot|niezał|nieust|niedok",
        r"\bnie(?:zapłacon|sprawdzon|potwierdzon|załatwion|ustalon|dokończon)\w*",
    ),
    family("win", r"\b(?:jestem|jesteśmy|jest nam) (?:winien|winna|winni)\b"),
    family(
        "w połow|połowicz", r"\b(?:jest|są|stoi|dopiero) w połowie\b|\bpołowicznie\b"
    ),
    family(
        "dopóki|póki|bez ",
        r"\b(?:dopóki|póki|bez)\b.{3,60}\bnie (?:\w+(?:my|ę|m)|można|da się)\b",
    ),
    family(
        "stoimy|zablokow",
        r"\bstoimy (?:przez|bez|na)\b|\bzablokowan\w+ (?:przez|na|brakiem)\b",
    ),
    family("nikt", r"\bnikt (?:się )?nie\b"),
)
POLISH_LOOSE = (
    family("wygasa|upływa", r"\b(?:wygasa|upływa)\b"),
    family(
        "trzeba|należy|wypada", r"\b(?:trzeba|należy|wypadałoby) (?:\S+ ){0,4}\w+ć\b"
    ),
    family("musimy|muszą|musi ", r"\b(?:musimy|muszą|musi) (?:\S+ ){0,2}\w+ć\b"),
    family("kto ", r"^kto .{0,40}\bjutro\b|^kto jutro\b"),
    family(
        r"\bdo ",
        r"\bdo (?:soboty|piątku|poniedziałku|wtorku|środy|czwartku|niedzieli|jutra)\b",
    ),
)
TURKISH = (
    family(
        "medi|madı|mamış|memiş",
        r"(?<!sorun )(?<!bir şey )(?<!hiçbir şey )(?<!problem )\b\w{2,}(?:medi|madı"
        r"|mamış|memiş)\W*\Z"
        r"|\b\w{2,}(?:medi|madı)[,;]",
    ),
    family("eksik", r"\beksik(?:ler)?\b"),
    family("borcu", r"\bborcu\w*\b"),
    family("yarım", r"\byarım (?:kal|bırak)\w*"),
    family("duruyoruz|takıl|tıkan", r"\b(?:duruyoruz|takıldı\w*|tıkandı\w*)\b"),
    family(
        "meden|madan",
        r"\b\w+(?:meden|madan)\b.{2,40}\b\w+(?:amayız|emeyiz|amam|emem|amıyoruz"
        r"|emiyoruz)\b",
    ),
    family("hâlâ|hala|halen", r"\b(?:hâlâ|hala|halen)\b"),
    family("bilmiyor|belirsiz", r"\b(?:bilmiyor\w*|belirsiz)\b"),
    family("kimse", r"\bkimse\b.{0,30}\b\w+(?:medi|madı|miyor|mıyor)\b"),
)
TURKISH_LOOSE = (
    family("lazım|gerek", r"\b(?:lazım|gerek(?:iyor|li|ecek)?)\W*\Z"),
    family("bitiyor|doluyor", r"\b(?:bitiyor|doluyor)\b"),
    family("yarın", r"^yarın\b|\byarın \w+"),
)
_OTHER = r"[^，。；、]"
CHINESE = (
    family(
        "至今|一直|到现在|迄今",
        rf"(?:至今|一直|到现在|迄今){_OTHER}{{0,6}}(?:没|沒|未|无|不)",
    ),
    family(
        "没",
        r"没(?:付|交|回|到|寄|签|批|修|订|定|买|测|验|写|弄|见着|见到|消息|下文|着落"
        r"|人(?:管|认|接|领|回|应|报名))"
        r"(?!过|问题)",
    ),
    family("欠", r"(?:^|[，。；还仍我们])欠"),
    family("要查|要问|要确认|有待", r"(?<!一定)(?:要查|要问|要确认)|有待"),
    family("得", r"(?:^|[，。；都也就还])得(?:再|先|去|找|问|跟|给|把|确认|查|等)"),
    family(
        "不到|没法|无法|不能",
        r"(?:不到|没有|没|不来|不批|之前|前)[^。；]{0,10}(?:没法|无法|不能|不了)",
    ),
    family(
        "等",
        rf"(?:^|[，。；|｜ ])(?:在|正在|还在|仍在|先)?等(?!(?:了|到|级|于|于是"
        rf"|待)){_OTHER}{{1,10}}(?:点头|批|签|发|给|修|寄|出|才能|再)",
    ),
    family(
        "不清楚|不明|没谱|不知道",
        r"(?:还|仍|谁|怎么|何时|是否){0,1}[^，。；]{0,8}(?:不清楚|没谱)",
    ),
    family("打电话|联系", rf"要(?:给|跟|向|和){_OTHER}{{1,8}}(?:打电话|联系|确认|说)"),
    family(
        "周末前|周前|月底前|之前给|日前|下班前",
        r"(?:周末|周.|月底|月初|下周|\d[日号]|下班|明天|年底)之?前[^了。]{0,10}(?:给"
        r"|交|出|完|做|寄|回|定)",
    ),
    family("稍后", r"稍后回复|稍后再"),
    family("悬着|搁着|吊着", r"(?:悬|搁|吊)着"),
    family("缺|还差", r"(?:还|仍|尚)?缺(?!陷|点|省|失|乏经)|还差"),
    family("只做|一半", r"(?:只|才|刚).{0,4}一半"),
)
JAPANESE = (
    family("必要", r"(?:が|も)必要(?:だ|です|かも)?[。、]?\Z|必要あり"),
    family("足りない|不足", r"足りない|(?:が|は)不足"),
    family("誰も", r"誰も.{1,16}(?:ない|いません|ません)"),
    family(
        "ていない|てない|でいない|ていません",
        r"(?<!使っ)(?<!問題になっ)(?<!変わっ)(?<!影響し)(?:て|で)い?(?:ない|ません)"
        r"(?:[。、がの)）]|\Z)",
    ),
    family("待ち", r"(?<!お)(?<!時間)(?<!分)待ち(?:[。、でのだ)）]|\Z)"),
    family(
        "未",
        r"未(?:検証|払|確認|確定|返却|納|配達|着|回収|読|報告|登録|更新|記入|提出|発注"
        r"|解決|決定)(?!満)",
    ),
    family("不明", r"(?:は|が)?不明(?:[。、のだなで]|\Z)"),
    family("半分", r"半分(?:まで|しか|だけ|残)"),
    family(
        "まで",
        r"まで.{1,16}(?:できない|れない|せない|えない|けない|めない)(?:[。、]|\Z)",
    ),
    family("止まっ", r"(?:で|て)?止まって(?:いる|る|い)"),
    family(
        "したい|確かめ",
        r"(?:確認|相談|検討|修正|調べ|聞|試)(?:し|き)?たい|確かめ(?:る|たい|ない)",
    ),
    family("お願い", r"お願い(?:します|する|したい)?[。]?\Z"),
    family(
        "までに",
        r"(?:日|曜|末|中|週|朝|夕方?|昼|明日|来週)までに.{1,24}(?:する|出す|送る"
        r"|決める|返す|用意|提出|予定)",
    ),
    family(
        "なければ|ないと", r"なければ(?:ならない|いけない)?|ないと(?:いけない|まずい)"
    ),
    family(
        "分からない|わからない|決まらない|届かない|返ってこない|来ない",
        r"(?:まだ|誰|いつ|どこ|未だ|返事).{0,16}(?:分からない|わからない|決まらない"
        r"|届かない|こない|来ない)",
    ),
)
KOREAN = (
    family("필요", r"필요(?:하다|함|합니다|해)?[.。]?\Z|필요(?:하다|함)[.。,]"),
    family("부족", r"부족(?:하|함|해)?"),
    family("아무도", r"아무도.{1,16}(?:않|못|없|모)"),
    family(
        "미", r"(?:^|[ 은는이가])미(?:납|정|결|완|확인|제출|발송|수령|도착|배정|처리)"
    ),
    family(
        "야 ",
        r"(?:[어아여해와워봐줘내가야춰려]|돼)야 (?:한다|함|해|됨|된다|할|하는데"
        r"|합니다)",
    ),
    family("막혀|막힘|막힌", r"막(?:혀|힘|힌)"),
    family("절반|반만", r"절반(?:만|까지|밖)|반만"),
    family(
        "지 않|지 못|지 안",
        r"(?:오|되|나|하|받|정해지|끝나|풀리|맡|내|정하|구하|찾|고치|닿)지 (?:않(?:았"
        r"|음|아)|못)",
    ),
    family(
        "때까지|전까지|전에는|없이",
        r"(?:때까지|전까지|전에는|없이).{1,16}(?:못|없|안 )",
    ),
    family("여전히", r"여전히"),
    family(
        "모른다|모르|모름", r"(?:지|는지|ㄹ지|을지|낼지) ?(?:아무도 )?모(?:른다|름|르)"
    ),
    family(
        "주세요|주십시오|바람|달라고",
        r"(?:해|갈아|보내|확인해|챙겨|알려) ?주(?:세요|십시오)[.]?\Z",
    ),
    family("못 ", r"(?:^| )못 (?:닫|받|구|찾|정|했|함|끝|보|만|열|내|고)"),
    family(
        "까지",
        r"(?:요일|일|주말|월말|내일|다음 주)까지 .{0,20}(?:준다|주기로|보낸다|한다"
        r"|하기로|예정|가져|제출)",
    ),
    family("것:|것 :", r"^(?:알아볼|확인할|물어볼|챙길|정할|살|할) 것 ?[:：]"),
)
FIRM_FAMILIES = (*RUSSIAN, *POLISH, *TURKISH, *CHINESE, *JAPANESE, *KOREAN)
LOOSE_FAMILIES = (*RUSSIAN_LOOSE, *POLISH_LOOSE, *TURKISH_LOOSE)
