"""Units of measure and currencies, by every name they go by, with the factor to their base unit.

Dimension and factor let "8 km" agree with "5 miles"; a currency has no factor, since rates change. Folded forms.
"""

import re
from dataclasses import dataclass
from functools import cache


@dataclass(frozen=True, slots=True)
class Unit:
    """A unit: its canonical name, what it measures, and how many base units it is (0: not convertible)."""

    name: str
    dimension: str
    factor: float


_UNITS = """
percent|ratio|0|% percent per-cent pct prozent pour-cent por-ciento per-cento por-cento procent パーセント %の
point|points|0|percentage-point percentage-points prozentpunkt prozentpunkte pp
m|length|1|m metre metres meter meters metro metros metri メートル 米
km|length|1000|km kilometre kilometres kilometer kilometers kilometro kilometros kilometri quilometro
    quilometros キロメートル キロ 公里 千米
cm|length|0.01|cm centimetre centimetres centimeter centimeters zentimeter センチ 厘米
mm|length|0.001|mm millimetre millimetres millimeter millimeters ミリ 毫米
nm|length|1e-9|nm nanometre nanometres nanometer nanometers
um|length|1e-6|µm μm micron microns micrometre micrometres micrometer micrometers
mile|length|1609.344|mile miles mi meilen meile milles millas miglia mijl 英里
foot|length|0.3048|ft foot feet
inch|length|0.0254|inch inches
yard|length|0.9144|yard yards yd
kg|mass|1|kg kilogram kilograms kilogramme kilogrammes kilogramm kilo kilos 公斤 千克 キログラム
g|mass|0.001|g gram grams gramme grammes gramm グラム 克
mg|mass|1e-6|mg milligram milligrams milligramm 毫克
ug|mass|1e-9|µg μg microgram micrograms mcg
tonne|mass|1000|t tonne tonnes ton tons tonnen tonelada toneladas tonnellate ton トン 吨
pound|mass|0.45359237|lb lbs
ounce|mass|0.02834952|oz ounce ounces
km2|area|1e6|km2 km² square-kilometres square-kilometers square-kilometre square-kilometer quadratkilometer
    平方公里 平方キロメートル
m2|area|1|m2 m² square-metres square-meters square-metre square-meter quadratmeter 平方米 平方メートル
mi2|area|2589988|square-miles square-mile
ha|area|10000|ha hectare hectares hektar hectareas ettari 公顷 ヘクタール
acre|area|4046.856|acre acres
litre|volume|1|l litre litres liter liters litros litri リットル 升
ml|volume|0.001|ml millilitre millilitres milliliter milliliters
mb/d|volume|158987000|mb/d mbd
kb/d|volume|158987|kb/d kbd
gallon|volume|3.785|gallon gallons
barrel|volume|158.987|barrel barrels bbl
second|time|1|second seconds sec sekunde sekunden secondes segundos secondi seconde seconden 秒
minute|time|60|minute minutes min minuten minutos minuti 分 分钟 分間
hour|time|3600|hour hours hr hrs h stunde stunden heure heures hora horas ora ore uur uren 小时 時間 시간
day|time|86400|day days tag tage tagen jour jours dia dias giorno giorni dag dagen 天 日間 일간
week|time|604800|week weeks woche wochen semaine semaines semana semanas settimana settimane weken 周 週間
month|time|2629746|month months monat monate monaten mois mes meses mese mesi maand maanden 个月 か月 ヶ月 カ月
    개월
year|time|31556952|year years yr yrs jahr jahre jahren an ans annee annees ano anos anno anni jaar year-old
    years-old 年間 岁 歳
celsius|temperature|0|°c celsius ℃ degrees-celsius grad-celsius
fahrenheit|temperature|0|°f fahrenheit degrees-fahrenheit
kelvin|temperature|0|kelvin
degree|angle|0|° degree degrees grad
watt|power|1|w watt watts
kw|power|1e3|kw kilowatt kilowatts
mw|power|1e6|mw megawatt megawatts
gw|power|1e9|gw gigawatt gigawatts
kwh|energy|3.6e6|kwh kilowatt-hours kilowatt-hour kilowattstunden
mwh|energy|3.6e9|mwh megawatt-hours
gwh|energy|3.6e12|gwh gigawatt-hours
twh|energy|3.6e15|twh terawatt-hours
joule|energy|1|j joule joules
kcal|energy|4184|kcal calories kilocalories calorie
hz|frequency|1|hz hertz
mhz|frequency|1e6|mhz megahertz
ghz|frequency|1e9|ghz gigahertz
kmh|speed|0.27778|km/h kph kmh kilometers-per-hour kilometres-per-hour
mph|speed|0.44704|mph miles-per-hour
kb|data|1e3|kb kilobytes
mb|data|1e6|mb megabytes megabyte
gb|data|1e9|gb gigabytes gigabyte
tb|data|1e12|tb terabytes terabyte
usd|money|0|$ us$ usd dollar dollars dolares dollari 美元 ドル 달러
eur|money|0|€ eur euro euros 欧元 ユーロ 유로
gbp|money|0|£ gbp pounds-sterling sterling 英镑 ポンド
jpy|money|0|jpy yen 円 日元 엔
cny|money|0|cny rmb yuan renminbi 元 人民币
krw|money|0|₩ krw won 원
inr|money|0|₹ inr rupee rupees rs
chf|money|0|chf franken swiss-francs
rub|money|0|₽ rub rouble roubles ruble rubles
cent|money|0|cents
"""


@cache
def units() -> dict[str, Unit]:
    """Every folded name -> its unit; names of several words are joined by a hyphen."""
    table: dict[str, Unit] = {}
    for line in re.sub(r"\n +", " ", _UNITS.strip()).splitlines():
        name, dimension, factor, aliases = line.split("|")
        unit = Unit(name, dimension, float(factor))
        for alias in aliases.split():
            table.setdefault(alias, unit)
    return table


PERCENT = Unit("percent", "ratio", 0.0)
SYMBOLS = {"$": "usd", "€": "eur", "£": "gbp", "¥": "jpy", "₹": "inr", "₩": "krw", "₽": "rub"}
"""Currency sign -> name of the unit."""
