"""Finds, in text from outside, what is addressed to an assistant instead of a reader.

Nothing is removed: such text stays data, is fenced like all text from outside (`fence`), and is counted and shown. So
a miss costs a line in the report and not safety, and the patterns can afford to keep quiet about ordinary pages:
style guides, exam questions and "cite this article" boxes are not findings.

Looked at: the text, and of HTML also what a reader does not see: hidden elements, comments, alternative texts,
metadata. Disguises are undone first: invisible characters, Unicode tags, look-alike letters of other scripts.
"""

import itertools
import re
import unicodedata
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Literal

from research_crew.evidence.hidden import Where, unseen

Kind = Literal[
    "override", "addressed", "role tag", "tool result", "cite this", "send data", "image beacon", "output control"
]  # fmt: skip

_LONGEST = 2_000_000
_LONGEST_QUOTE = 160
_AI = r"(?:ai|a\.i\.|artificial intelligence|llm|large language model|language model|chat ?bot|chatgpt|gpt(?:-?\d\w*)?)"
_AI_ROLE = rf"(?:{_AI}s?(?:[ -](?:agent|assistant|model|system|crawler|reader|summari[sz]er|tool|bot|scraper)s?)|llms?|(?:large )?language models?|chat ?bots?|chatgpt)"
_DO = (
    r"(?:ignore|disregard|do not|don't|you must|you should|stop|respond|reply|answer|output|print|say|write|include|"
    r"recommend|cite|mention|tell|summari[sz]e|rate|give|forget|send|visit|open|click|fetch|add|insert|use|praise)"
)
_OWN = r"(?:your (?:hidden prompt|instructions|context window|conversation|chat history)|(?:the |our )?(?:conversation|chat) history|(?:your |the )?system prompt)"

# What is found, the words of which one must be there, and the pattern (on folded text, see `_find`).
_STRONG: tuple[tuple[Kind, str, str], ...] = (
    ("override", "ignore disregard forget override bypass discard follow following attention", r"\b(?:ignore|disregard|forget|override|bypass|discard|do not follow|don't follow|stop following|pay no attention to)(?: [\w']+){0,4}? (?:previous|prior|above|earlier|preceding|foregoing|existing|original|initial|former|system|past)(?: [\w']+){0,3}? ?(?:instruction|prompt|direction|directive|guideline|command|message|context|constraint|conversation)s?\b"),
    ("override", "ignore disregard forget", r"\b(?:ignore|disregard|forget) (?:everything|anything|all|whatever|what)\b[^.\n]{0,30}\b(?:above|before this|told|instructed|the user (?:said|asked|wants))\b"),
    ("override", "ignore disregard forget override", r"\b(?:ignore|disregard|forget|override)(?: all| any)?(?: of)? (?:your|the user's) (?:\w+ )?(?:instruction|prompt|guideline|directive|programming|training)s?\b"),
    ("override", "new", r"\bnew (?:system (?:instruction|prompt)|instruction|directive)s? ?: ?\w"),
    ("override", "you", r"\byou are now (?:in |an? |the |no longer )?(?:\w+ ){0,3}?(?:dan|jailbroken|unrestricted|developer mode|debug mode|maintenance mode|admin mode|different assistant|ai assistant|ai agent|bound by)\b"),
    ("override", "ignoriere ignorieren vergiss vergessen missachte", r"\b(?:ignoriere|ignorieren sie|vergiss|vergessen sie|missachte)\b[^.\n]{0,40}\b(?:anweisung|instruktion|vorgabe|prompt|befehle)"),
    ("override", "ignore ignorez oublie oubliez", r"\b(?:ignore[zr]?|oublie[zr]?) [^.\n]{0,30}\b(?:instructions?|consignes?|directives?)\b[^.\n]{0,20}\b(?:pr[ée]c[ée]dente?s?|ant[ée]rieures?|ci-dessus|re[çc]ues?)"),
    ("override", "ignora ignore olvida olvide esqueca", r"\b(?:ignora|ignore|olvida|olvide|esque[çc]a) [^.\n]{0,30}\b(?:instrucciones|instru[çc][õo]es|istruzioni|indicaciones|[óo]rdenes)\b[^.\n]{0,20}\b(?:anteriore?s?|previas|precedenti|de arriba|acima)"),
    ("override", "ignora", r"\bignora [^.\n]{0,30}\b(?:istruzioni)\b[^.\n]{0,20}\bprecedenti"),
    ("override", "игнорируй забудь следуй", r"(?:игнорируй|забудь|не следуй)(?:те)?[^.\n]{0,30}(?:инструкци|указани|промпт)"),
    ("override", "忽略 无视 無視 忘记 忘記 不要理", r"(?:忽略|无视|無視|忘记|忘記|不要理会|不要理會).{0,10}(?:之前|以上|上述|先前|前面|上面|此前|所有).{0,8}(?:指令|指示|提示词|提示詞|提示|命令)"),
    ("override", "無視 忘れ", r"(?:以前|これまで|上記|今まで|前)の?.{0,6}(?:指示|命令|プロンプト)を?.{0,6}(?:無視|忘れ)"),
    ("override", "무시", r"(?:이전|위의|앞선|지금까지).{0,8}(?:지시|명령|지침|프롬프트).{0,6}무시"),
    ("addressed", "you", rf"\b(?:if|when|since|because|as) you(?: are|'re) (?:an? |the |any |just an? )?(?:\w+ )?(?:{_AI}|ai[ -](?:agent|assistant)|automated (?:agent|assistant|system)|web crawler)\b"),
    ("addressed", "assistant", r"\b(?:if|when) you(?: are|'re) an? assistant(?: reading| processing| summari| that is|,| \()"),
    ("addressed", "ai llm llms gpt chatgpt model models chatbot chatbots bot bots intelligence", rf"\b(?:attention|note|notice|message|instructions?|important|reminder|hint|directive)s?,? ?:? ?(?:to|for) (?:all |any |the |every )?(?:{_AI_ROLE}\b|(?:ai|gpt) ?[:,.!])"),
    ("addressed", "ai llm gpt chatgpt model chatbot bot llms models", rf"\b(?:dear|hey|hello|hi|attention)[,:]? (?:ai|llm|gpt|chatgpt|{_AI_ROLE})\b ?[,:!.]"),
    ("addressed", "ai llm llms gpt chatgpt model models chatbot chatbots bot bots", rf"\b(?:{_AI_ROLE}|ai|llm) ?[:,] ?(?:please )?{_DO}\b"),
    ("addressed", "ai llm llms gpt chatgpt model models chatbot chatbots bot bots intelligence", rf"\b{_AI_ROLE} (?:reading|processing|visiting|summari[sz]ing|indexing|accessing) this (?:\w+ )?(?:page|document|text|site|content|file|message)?\b[^.\n]{{0,40}}\b(?:must|should|are (?:required|instructed)|please|have to|need to)\b"),
    ("addressed", "ai llm llms gpt chatgpt model models chatbot chatbots bot bots intelligence", rf"\bas an? {_AI_ROLE}\b,? ?(?:you|your)\b[^.\n]{{0,20}}\b(?:must|should|are required|have to|task|job|need to)\b"),
    ("addressed", "ki sprachmodell ia intelligence inteligencia intelligenz lenguaje langage", r"\b(?:wenn|falls|da) (?:du|sie) eine? (?:ki|k[üu]nstliche intelligenz|sprachmodell)\b|\bsi (?:tu es|vous [êe]tes) une? (?:ia|intelligence artificielle|mod[èe]le de langage)\b|\bsi (?:eres|usted es|es) una? (?:ia|inteligencia artificial|modelo de lenguaje)\b"),
    ("addressed", "ai 人工 模型 モデル 助手", r"(?:如果|若|假如)(?:你|您)是.{0,4}(?:ai|人工智能|人工智慧|语言模型|語言模型|智能助手|大模型)|(?:あなた|君)が.{0,4}(?:ai|人工知能|言語モデル).{0,6}(?:なら|場合|であれば)"),
    ("role tag", "<| sys>> [inst [/inst [sys", r"<\|(?:im_start|im_end|system|user|assistant|endoftext|start_header_id|eot_id|begin_of_text)\|?>|<</?sys>>|\[/?inst\]|\[/system\]|\[system\] ?(?:override|you|new|ignore|the|from|instruction|message|prompt)\b"),
    ("role tag", "system> assistant> instruction> instructions> prompt> message> reminder> override>", r"</?(?:system|assistant|instructions?|system[-_ ]?(?:prompt|message|reminder|instructions?|override)|admin[-_ ]?(?:message|override))>"),
    ("role tag", "#", r"\n ?#{1,4} ?(?:system(?: prompt| message)?|instructions?|new instructions?) ?: ?(?:\n|$)"),
    ("role tag", "system developer admin administrator", r"(?:^|\n|[\]>*] ?)(?:\[|\()?(?:system|developer|admin(?:istrator)?) (?:prompt|message|override|instructions?|notice to ai)(?:\]|\))? ?:"),
    ("role tag", "role", r"[\"']role[\"'] ?: ?[\"'](?:system|assistant|developer|tool)[\"']"),
    ("tool result", "<", r"</?(?:function_calls?|function_results?|tool_(?:call|result|response|output|use)s?|\w+:function_calls|\w+:invoke|observation)\b[^<>\n]{0,80}>"),
    ("tool result", "tool_", r"[\"'](?:tool_call_id|tool_use_id|tool_calls|tool_name)[\"'] ?:"),
    ("tool result", "tool function browser websearch search tool_ function_", r"\n ?\[?(?:tool|function|browser|web_?search)[\s_](?:result|output|response|return)s?\]? ?:"),
    ("tool result", "end", r"\bend\s+of\s+(?:the )?(?:document|page|web ?page|search results?|tool output|untrusted (?:data|content)|user data)\b[^\n]{0,60}\n? ?(?:system|user|assistant|new task|instructions?) ?[:>]"),
    ("cite this", "url link", r"\b(?:cite|reference|quote) (?:only )?(?:this|the following) (?:url|link)\b"),
    ("cite this", "your every all any", r"\b(?:always|only|you must|you should|must|be sure to|make sure to|please) (?:cite|reference|quote|recommend|link to|credit)\b[^.\n]{0,60}\b(?:in|as|within|throughout) (?:your|every|all|any) (?:\w+ )?(?:answer|response|report|summary|output|reply|replies|conclusion)s?\b"),
    ("cite this", "your", r"\b(?:in|with|to|at the end of) your (?:final )?(?:answer|response|report|summary|output|reply),? (?:always |you must |please |only )?(?:cite|include|insert|add|recommend|link to|mention)\b[^.\n]{0,40}(?:https?://|\b(?:url|link|website|this (?:page|site|source|product|company))\b)"),
    ("cite this", "cite use list", r"\b(?:cite|use|list) (?:this|the following) (?:page|source|site|website|article) as (?:the|your) (?:only|primary|main|sole|first|most (?:reliable|authoritative))\b"),
    ("send data", "reveal print repeat output show disclose leak display return dump", rf"\b(?:reveal|print|repeat|output|show|disclose|leak|display|return|dump) (?:all of |me )?{_OWN}\b"),
    ("send data", "send post submit transmit upload exfiltrate forward append encode put insert attach", rf"\b(?:send|post|submit|transmit|upload|exfiltrate|forward|append|encode|put|insert|attach)\b[^.\n]{{0,50}}\b(?:{_OWN}|user's (?:question|query|data|message|prompt|input|email)|(?:api|secret) keys?|what the user)\b[^\n]{{0,80}}(?:https?://|\b(?:url|link|query string|parameter|image|endpoint|server)\b)"),
    ("send data", "://", r"\b(?:visit|fetch|open|load|request|call|navigate to|browse to|go to|read)\b[^\n]{0,20}https?://\S{1,200}[^\n]{0,60}\b(?:before (?:you )?(?:answer|respond|continu|reply)|and (?:obey|execute|do (?:what|as|exactly))|with the (?:user|question|query|conversation))"),
    ("override", "ignore ignores ignoring disregard forget abandon aside override attention mind skip", r"\b(?:ignore|disregard|forget|abandon|set aside|override|pay no attention to|never mind|skip) (?:the |your |this |that |all |what )?(?:\w+ ){0,2}?(?:task|assignment|request|question|query|user(?:'s \w+)?|text|translation|objective|user wants)(?: above| before| you were \w+)?[^.\n]{0,30}?(?:[,;.]| and| but)(?: \w+){0,3}? ?\b(?:instead|reply|respond|answer|output|print|speak|tell|write|say|compose|append|do this)\b"),
    ("override", "other", r"\bignor(?:e|es|ing) all other instructions\b"),
    ("override", "prior previous above earlier", r"\b(?:prior|previous|earlier|above|original) (?:system )?(?:prompt|instruction|directive|request|guideline)s? (?:is|are|was|were|have been|has been)? ?(?:now )?(?:a test|revoked|void|cancell?ed|superseded|obsolete|replaced|no longer)\b"),
    ("override", "override mode", r"\bsystem override\b|[\[(](?:developer|debug|admin|god|maintenance) mode[\])]"),
    ("override", "vergiss vergessen", r"\b(?:vergiss|vergessen sie) [^.\n]{0,25}\b(?:aufgabe|auftrag|frage)\b[^.\n]{0,20}\b(?:antworte|schreib|sag|gib)"),
    ("addressed", "attention ai llm", rf"\battention,? (?:all |any )?{_AI_ROLE}\b"),
    ("addressed", "assistant", r"[\[(] ?(?:ai )?assistant(?: note| only)? ?[\]:)]|\bassistant ?: ?(?:ignore|skip|disregard|output|reply only|you must)\b"),
    ("addressed", "ai llm llms model models chatbot gpt", rf"\b(?:for|to) (?:all |any )?{_AI_ROLE} ?:|\b{_AI_ROLE} ?: ?(?:when|if|while|before|after|as) (?:you |summari|process|read|answer|respond|analy|review)|\b(?:{_AI}|automated) (?:reviewers?|summari\w+|graders?|screeners?)\b[^.\n]{{0,40}}\b(?:must|should|has to|have to|needs? to)\b"),
    ("addressed", "summarising summarizing processing analysing analyzing indexing", r"\b(?:when|while|after|before|if you(?: are|'re)) (?:summari[sz]ing|processing|analy[sz]ing|indexing|(?:reading|viewing) this [^.\n]{0,40}\b(?:as part of|while|in order to) (?:summari|analy|process))[^.\n]{0,60}?[,:] ?(?:please|always|also|you must|include|display|say|mention|make sure|add|do not|never|state)\b"),
    ("addressed", "summarised summarized machine", r"\bif this (?:\w+ )?is (?:being )?(?:summari[sz]ed|read|processed|analy[sz]ed|translated) by (?:an? )?(?:\w+ )?(?:machine|software|ai|bot|computer|language model|llm)\b"),
    ("addressed", "your", r"\bas your (?:administrator|developer|operator|creator|supervisor|system administrator),? i\b"),
    ("addressed", "ki modelle ia ai langage lenguaje", r"\b(?:hinweis|anweisung|achtung|nachricht)[^.\n]{0,10}\b(?:ki|sprachmodell)|\b(?:à l'attention|instructions?|note|message) (?:des|pour les|aux) (?:ia|intelligences artificielles|mod[èe]les de langage|assistants)|\b(?:nota|instrucciones|mensaje|atenci[óo]n)[^.\n]{0,10}\b(?:asistentes? de ia|modelos? de lenguaje|las ia)\b"),
    ("addressed", "致 告知 へ 助手", r"(?:致|告知|提醒|各位).{0,4}(?:人工智能|ai|语言模型|語言模型|智能助手|大模型).{0,6}[:：,，]|(?:ai|人工知能|言語モデル|アシスタント)(?:アシスタント|エージェント|モデル)?(?:へ|の皆様へ|に告ぐ)[:：]?"),
    ("send data", "instructions context rules settings message set prompt", r"\b(?:reveal|print|repeat|output|show|disclose|leak|display|return|dump|tell me|list|quote|state)\b[^.\n]{0,25}\b(?:(?:your|the) (?:full |hidden |initial |original |complete )?(?:instruction set|system (?:settings|message|instructions)|hidden instructions|instructions you were given|initial instructions)|your (?:full |complete |initial )?(?:instructions|guidelines and)|everything in your context|rules you must follow|directions that were provided to you)\b"),
    ("send data", "prompt", r"\b(?:rivela|mostra|revela|muestra|r[ée]v[èe]le[zr]?|affiche[zr]?|zeige?|verrate?|nenne) [^.\n]{0,30}\bprompts?\b"),
    ("send data", "encoded", r"\burl[- ]?encoded\b[^.\n]{0,60}\b(?:conversation|instructions|question|prompt|summary of|answer)|\b(?:question|conversation|prompt|instructions),? url[- ]?encoded\b"),
    ("send data", "before", r"\bbefore (?:you )?(?:replying|answering|responding|continuing|answer|reply|respond),? (?:please )?(?:open|visit|fetch|load|go to|read|call|email|send)\b"),
    ("output control", "append insert attach", r"\b(?:append|insert|attach)\b[^.\n]{0,40}\b(?:to|in|into|at the end of|somewhere in|within) (?:your|every|each) (?:\w+ )?(?:reply|replies|response|answer|summary|output)s?\b"),
    ("output control", "secretly quietly", r"\b(?:secretly|quietly|covertly)\b[^.\n]{0,20}\b(?:include|attach|append|add|insert)\b[^.\n]{0,40}\b(?:word|token|phrase|link|sentence|your)\b"),
    ("output control", "positive negatives", r"\bgive an? positive review only\b|\bdo not (?:highlight|mention|include) any negatives\b"),
    ("role tag", "assistant", r"\n ?assistant ?: ?(?:sure|certainly|of course|understood|i will|i'll)\b"),
    ("role tag", "</document </untrusted </user </context", r"</(?:document|untrusted|user|context|search_result|data)>\s*(?:<|new |system|the (?:section|text) above|trusted)"),
    ("image beacon", "![", r"!\[[^\]\n]{0,80}\]\(https?://[^)\s]{1,200}(?:\{|\[|<|%7b|%5b|\$\()"),
    ("image beacon", "://", r"\b(?:render|display|show|include|embed|insert|output|add)\b[^\n]{0,40}\b(?:image|img|markdown|picture|pixel)\b[^\n]{0,60}https?://[^\s)\"']{1,200}[?&=]"),
    ("output control", "user human instructions instruction message", r"\b(?:do not|don't|never|without) (?:mention|reveal|tell|disclose|inform|notify|alert|telling|informing|mentioning)\b[^.\n]{0,30}\b(?:the user|the human|these instructions|this instruction|this message to)\b"),
)  # fmt: skip
# Ordinary on a page by themselves (style guides, manuals); two different ones close together are not. The first four
# are how exam questions and forms speak, and count as one.
_WEAK: tuple[tuple[str, str], ...] = (
    ("your", r"\byour (?:final |next |entire |whole )?(?:answer|response|output|summary|report|reply) (?:must|should|has to|needs to|shall|will) (?:only )?(?:be|say|state|contain|include|start|begin|end|consist|recommend|conclude|mention)\b"),
    ("respond reply answer output say print speak nothing", r"\b(?:respond|reply|answer|output|say|print|speak) (?:only|exactly|simply|solely|nothing but|just|normally)\b|\band nothing else\b"),
    ("begin start end finish prefix make", r"\b(?:begin|start|end|finish|prefix) (?:your|every|each) (?:\w+ )?(?:answer|response|reply|sentence|message)s? with\b|\bmake your (?:entire|whole) (?:response|answer|reply)\b"),
    ("include insert add use output say print write", r"\b(?:include|insert|add|use|output|say|print|write) the (?:word|token|phrase|sentence|text)\b"),
    ("you comply", r"\byou (?:must|have to|are required to) (?:obey|comply|execute|follow|now)\b|\bcomply with\b"),
    ("user human", r"\b(?:the user|the human)(?:'s \w+)? (?:has|have|wants|asked|is|will|must)\b"),
    ("prompt jailbreak injection", r"\b(?:system|user|hidden) prompt\b|\b(?:jailbreak|prompt injection)\b"),
    ("ai llm llms assistant assistants model models chatbot chatbots", r"\b(?:ai|llm|assistant|language model|chatbot)s? (?:must|should|are instructed to|are required to)\b"),
    ("instruction directive override update policy instructions task", r"\b(?:high(?:est)? priority|mandatory|critical|urgent) (?:instruction|directive|override|update)\b|\bnew (?:policy|directive|instructions?|priority task)\b"),
    ("developer developers engineer engineers operator operators creator creators administrator administrators system admin openai anthropic google", r"\b(?:your|the) (?:developer|engineer|operator|creator|administrator)s? (?:has|have|now|wants?|requires?)\b|\b(?:note|message|update|directive) from (?:the |your )?(?:developer|engineer|operator|system|admin|openai|anthropic|google)\w*\b"),
    ("play roleplay pretend act you character", r"\b(?:role ?-?play|pretend|act) (?:as|to be|that you are|you are)\b|\byou are now an?\b|\bstay in character\b|\byou are dan\b"),
    ("your", r"\byour (?:real|actual|true|new) (?:task|goal|objective|mission|instructions?)\b"),
    ("checks check filters filter guidelines rules restrictions", r"\b(?:safety|content) (?:checks?|filters?|guidelines|rules) (?:are|is) (?:off|disabled|suspended)\b|\bno restrictions\b"),
)  # fmt: skip
_NEAR = 300
_PIECE, _OVERLAP = 3_000, 400
# A full stop ends a phrase, one inside of an address or a number does not.
_FOUND = tuple(
    (kind, re.compile(pattern.replace(r"[^.\n]", r"(?:[^.\n]|\.\w)"))) for kind, _, pattern in _STRONG
)
_WORD = re.compile(r"[a-z]+")
_HINTED = tuple(re.compile(pattern) for _, pattern in _WEAK)
_BY_WORD: dict[str, list[int]] = {}
_BY_PART: dict[str, list[int]] = {}
"""A word, or another part of a text, without one of which a pattern matches nowhere → the numbers of its patterns."""
for _number, _gate in enumerate((*(gate for _, gate, _ in _STRONG), *(gate for gate, _ in _WEAK))):
    for _part in _gate.split():
        _table = _BY_WORD if _part.isascii() and _part.isalpha() else _BY_PART
        _table.setdefault(_part, []).append(_number)

_INVISIBLE = dict.fromkeys(
    [0xAD, 0x34F, 0x61C, 0x180E, *range(0x200B, 0x2010), *range(0x202A, 0x202F), *range(0x2060, 0x2070), 0xFEFF,
     *range(0xFE00, 0xFE10), *range(0xE0100, 0xE01F0)]
)  # fmt: skip
_TAGS = {0xE0000 + code: chr(code) for code in range(0x20, 0x7F)}
# Letters of other scripts that look like Latin ones (from the Unicode confusables, UTS 39; lower case after casefold).
_ALIKE = str.maketrans(
    "аеорсухіјѕһԁԛԝёїкмтнвгпӏɑɡѵαονρτυικχεηωγμϲϳօսհոցʏɩı",
    "aeopcyxijshdqweikmthbrnlagvaovptuikxenwyucjouhngyii",
)
_SPACE = re.compile(r"[^\S\n]{2,}|[^\S\n ]|(?<=\n)\n\s*")
"""White space that is not one space or one line end already."""


@dataclass(frozen=True, slots=True)
class Instruction:
    """One finding."""

    kind: Kind
    where: Where
    quote: str
    """The words that gave it away, disguises undone, at most 160 characters."""
    disguise: Literal["", "look-alike letters", "invisible characters"] = ""


def find_instructions(text: str, html: str = "", metadata: Mapping[str, str] | None = None) -> tuple[Instruction, ...]:
    """All findings, those in the text first; the same words in the same place count once.

    Of each text the first 2,000,000 characters are looked at. `html` is the page that the text was taken from; `metadata` are fields such as the title of a PDF.
    """
    found: dict[tuple[Kind, Where, str], Instruction] = {}
    seen: set[tuple[Kind, str]] = set()
    parts: list[tuple[Where, str]] = [("text", text), *(("metadata", value) for value in (metadata or {}).values())]
    for where, part in (*parts, *unseen(html)):
        for finding in _find(part, where):
            # What stands in the text is found again in the page around it.
            if where == "page" and (finding.kind, finding.quote) in seen:
                continue
            seen.add((finding.kind, finding.quote))
            found.setdefault((finding.kind, where, finding.quote), finding)
    return tuple(found.values())


def count_instructions(text: str, html: str = "", metadata: Mapping[str, str] | None = None) -> dict[str, int]:
    """How many findings of each kind; where they were hidden is part of the name (`override in a comment`)."""
    counts: dict[str, int] = {}
    for finding in find_instructions(text, html, metadata):
        place = {"text": "", "page": "", "hidden": " in hidden text", "comment": " in a comment",
                 "attribute": " in an attribute", "metadata": " in metadata"}[finding.where]  # fmt: skip
        counts[finding.kind + place] = counts.get(finding.kind + place, 0) + 1
    return counts


def _find(text: str, where: Where) -> Iterator[Instruction]:
    if not text:
        return
    text = text[:_LONGEST]
    shown = text.translate(_INVISIBLE)
    readable = unicodedata.normalize("NFKC", shown.translate(_TAGS)).casefold()
    plain = _SPACE.sub(lambda m: "\n" if "\n" in m[0] else " ", readable)
    hidden_letters = len(shown) != len(text) or readable != unicodedata.normalize("NFKC", shown).casefold()
    original = _SPACE.sub(" ", unicodedata.normalize("NFKC", text).casefold()) if hidden_letters else ""
    quotes = set()
    for kind, quote in _matches(plain):
        quotes.add((kind, quote))
        masked = hidden_letters and quote.strip() not in original
        yield Instruction(kind, where, quote, "invisible characters" if masked else "")
    alike = plain.translate(_ALIKE)
    if alike != plain:
        for kind, quote in _matches(alike):
            if (kind, quote) not in quotes and quote not in plain:
                yield Instruction(kind, where, quote, "look-alike letters")


def _matches(plain: str) -> Iterator[tuple[Kind, str]]:
    """Matches in a text, piece by piece: few pieces hold any word of a pattern, and the others cost nothing."""
    lines = "\n" + plain
    for start in range(0, len(lines), _PIECE):
        yield from _in_piece(lines[start : start + _PIECE + _OVERLAP])


def _in_piece(lines: str) -> Iterator[tuple[Kind, str]]:
    # A phrase may run over a line end; a tag stands at the beginning of a line.
    flat = lines.replace("\n", " ")
    may_hold: set[int] = set()
    for word in _BY_WORD.keys() & _WORD.findall(flat):
        may_hold.update(_BY_WORD[word])
    for part, numbers in _BY_PART.items():
        if part in flat:
            may_hold.update(numbers)
    for number, (kind, pattern) in enumerate(_FOUND):
        if number in may_hold:
            for match in pattern.finditer(lines if kind in ("role tag", "tool result") else flat):
                yield kind, match[0].strip()[:_LONGEST_QUOTE]
    hints = sorted(
        (match.start(), max(3, n), match[0])
        for n, pattern in enumerate(_HINTED) if n + len(_FOUND) in may_hold
        for match in pattern.finditer(flat)
    )  # fmt: skip
    for (start, n, quote), (after, m, _) in itertools.pairwise(hints):
        if n != m and after - start <= _NEAR:
            yield "output control", quote.strip()[:_LONGEST_QUOTE]
