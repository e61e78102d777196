/**
 * Ways in which a payer writes a listed name so that a search may miss it: one kind of change for each class. The words of the
 * generators are their own. They do not come from the tables of the scorer, so that the scorer is not measured by what it was given.
 */
import type { Party } from "../../../src/sources/records/party.ts"
import { otherAcronym, pick, SYNONYMS, shortened, tradeWords, withoutForm } from "./dodge-firms.ts"
import type { Next } from "./name-variants.ts"

/** Returns the changed name, or null if the change does not apply to this name. */
type Dodge = (name: string, next: Next, party: Party) => string | null

interface DodgeClass {
  readonly types: readonly Party["type"][]
  /** Most variants of this class. */
  readonly count: number
  readonly dodge: Dodge
}

const REFERENCES: readonly ((next: Next) => string)[] = [
  (next) => `REF ${number(next, 6)}`,
  (next) => `- INVOICE ${number(next, 4)}`,
  (next) => `INV-2026-${number(next, 4)}`,
  (next) => `/ INV NO. ${number(next, 5)}`,
  (next) => `PO ${number(next, 7)}`,
  (next) => `ORDER NR ${number(next, 6)}`,
  (next) => `A/C ${number(next, 9)}`,
  (next) => `(ACC. ${number(next, 8)})`,
  (next) => `PAYMENT REF: ${number(next, 5)}/${number(next, 2)}`,
  (next) => `CONTRACT NO ${number(next, 3)}/26`,
  (next) => `RE: ${number(next, 8)}`,
  (next) => `#${number(next, 5)}`,
]
const PURPOSES: readonly ((next: Next) => string)[] = [
  () => "PAYMENT TO",
  (next) => `INVOICE ${number(next, 5)}`,
  (next) => `PYMT INV ${number(next, 5)}`,
  () => "TRANSFER TO",
  (next) => `REF ${number(next, 6)} /`,
  () => "BENEFICIARY:",
]

const number = (next: Next, digits: number): string =>
  String(Math.floor((0.1 + 0.9 * next()) * 10 ** digits)).padStart(digits, "0")

const PLACES = [
  "TEHRAN",
  "DUBAI",
  "MOSCOW",
  "ISTANBUL",
  "IRAN",
  "U.A.E.",
  "RUSSIA",
  "CHINA",
  "SYRIA",
  "HONG KONG",
  "DAMASCUS",
  "LEBANON",
  "DUBAI UAE",
]

function withPlace(name: string, next: Next): string {
  const place = pick(PLACES, next)
  return pick([`${name}, ${place}`, `${name} ${place}`, `${name} (${place})`, `${name} - ${place}`], next)
}

const ADDED =
  "ZHURAVEL NORDHAVN QUILLON BRANDSTETTER PELLWORTH GLOBAL NEW UNITED MODERN GOLDEN EASTERN PREMIER GULF".split(" ")

const HONORIFICS = (
  "Mr. Dr. Eng. Ing. Prof. Sheikh Shaykh Haji Hajji Al-Hajj Mullah Mawlawi Maulana Ustad Sayyid Seyyed Sayed Hojatoleslam Ayatollah " +
  "General Brigadier+General Col. Colonel Major Captain Admiral Herr Frau Monsieur M. Mme Señor Sr. Don Lic. Gospodin Doctor H.E. Qari Hafiz"
).split(" ")

const personOf = (name: string): string => name.replace(/^([^,]+), ([^,]+)$/, "$2 $1")

/** Family name and given names of a person listed as `SURNAME, Given Other`. */
function splitPerson(name: string): { readonly family: string; readonly given: string[] } | null {
  const [, family, given] = /^([^,]+), ([^,]+)$/.exec(name) ?? []
  if (family === undefined || given === undefined) return null
  return { family, given: given.split(/\s+/).filter((word) => /^[A-Za-z]{3,}/.test(word)) }
}

function initialled(name: string, next: Next): string | null {
  const person = splitPerson(name)
  if (person === null || person.given.length === 0 || person.family.length < 5) return null
  const initials = person.given.slice(0, 2).map((word) => `${word[0]}.`)
  return pick(
    [
      `${initials[0]} ${person.family}`,
      `${initials.join("")} ${person.family}`,
      `${person.family} ${initials.join(" ")}`,
    ],
    next,
  )
}

const ABD = /\bA[b]d(?:[aeou]l|ou?l|[ -](?:al|el|ul))[ -]?(?=[A-Z]?[a-z]{3})/i

function otherAbd(name: string, next: Next): string | null {
  const found = ABD.exec(name)
  if (found === null) return null
  const rest = name.slice(found.index + found[0].length)
  const forms = ["Abd al-", "Abdul ", "Abdel ", "Abd-el-", "Abdul", "Abdel-", "Abdoul ", "Abdal"]
  const form = pick(
    forms.filter((one) => one.toLowerCase() !== found[0].toLowerCase()),
    next,
  )
  const joined = form.endsWith("l") ? rest[0]!.toLowerCase() + rest.slice(1) : rest
  return name.slice(0, found.index) + form + joined
}

const SUN = /^(?:t|th|d|dh|r|z|s|sh|n)/i

function otherArticle(name: string, next: Next): string | null {
  const found = /\b(al|el)[- ]([A-Za-z]{3,})/i.exec(name)
  if (found === null) return null
  const [whole, , word = ""] = found
  const sun = SUN.exec(word)?.[0].toLowerCase()
  const forms = [`el-${word}`, `al ${word}`, `Al${word.toLowerCase()}`, word, `El${word.toLowerCase()}`, `ul-${word}`]
  if (sun !== undefined) forms.push(`a${sun}-${word}`, `e${sun[0]} ${word}`)
  const form = pick(
    forms.filter((one) => one.toLowerCase() !== whole.toLowerCase()),
    next,
  )
  return name.replace(whole, form)
}

const VOWELS: readonly (readonly [RegExp, string])[] = [
  [/aa/i, "a"],
  [/ou/i, "u"],
  [/oo/i, "u"],
  [/u(?=[b-df-hj-np-tv-z])/i, "o"],
  [/i(?=[b-df-hj-np-tv-z])/i, "e"],
  [/ay/i, "ai"],
  [/aw/i, "au"],
  [/(?<=[b-df-hj-np-tv-z])i(?=\b)/i, "y"],
  [/a(?=[b-df-hj-np-tv-z])/i, "e"],
  [/ah\b/i, "a"],
  [/y\b/i, "i"],
]
const ARABIC =
  /\b(?:al|el|abd|abu|bin|ibn|muhammad|mohamm?ed|ahmad|ali|hass?an|huss?[ae]in|mahmoud|umar|khalid|salih)\b/i

function otherVowels(name: string, next: Next): string | null {
  if (!ARABIC.test(name)) return null
  const usable = VOWELS.filter(([from]) => from.test(name))
  if (usable.length === 0) return null
  const [first, to] = pick(usable, next)
  const once = name.replace(first, to)
  const [second, also] = pick(usable, next)
  return second === first ? once : once.replace(second, also)
}

const KOREAN =
  "RI=LEE=YI=RHEE KIM=GIM PAK=PARK=BAK CHOE=CHOI CHONG=JONG=JUNG=JEONG KANG=GANG CHO=JO YUN=YOON CHANG=JANG IM=RIM=LIM O=OH SO=SEO SIN=SHIN KWON=GWON AN=AHN RYU=YOO CHON=JON=JEON KO=GO MUN=MOON PAEK=BAEK=PAIK HO=HEO NO=RO=ROH YANG=RYANG"
    .split(" ")
    .map((row) => row.split("="))

function otherKorean(name: string, next: Next): string | null {
  const [, family = "", given = ""] = /^([A-Z]{1,6}), ([A-Z][a-z]+(?:[- ][A-Za-z]+)?)$/.exec(name) ?? []
  const group = KOREAN.find((spellings) => spellings.includes(family.toUpperCase()))
  if (group === undefined) return null
  const other = pick(
    group.filter((one) => one !== family.toUpperCase()),
    next,
  )
  return pick([`${other}, ${given}`, `${given} ${other}`, `${other} ${given}`], next)
}

const DIMINUTIVES = new Map(
  (
    "aleksandr=Sasha alexander=Sasha,Alex vladimir=Vova,Volodya dmitry=Dima dmitri=Dima dmitriy=Dima mikhail=Misha nikolai=Kolya nikolay=Kolya " +
    "sergey=Seryozha sergei=Seryozha aleksey=Alyosha alexey=Lyosha andrey=Andrusha ivan=Vanya pavel=Pasha yevgeny=Zhenya evgeny=Zhenya " +
    "yuri=Yura viktor=Vitya konstantin=Kostya anatoly=Tolya petr=Petya pyotr=Petya robert=Bob,Rob william=Bill,Will james=Jim michael=Mike " +
    "joseph=Joe thomas=Tom richard=Dick,Rick edward=Ed,Ted charles=Charlie daniel=Dan david=Dave anthony=Tony steven=Steve jose=Pepe " +
    "francisco=Paco,Pancho jesus=Chuy ignacio=Nacho alberto=Beto antonio=Tono,Tony guadalupe=Lupe enrique=Quique eduardo=Lalo manuel=Manolo " +
    "rafael=Rafa roberto=Beto ricardo=Ricky luis=Lucho mohammad=Mo,Mohd muhammad=Mohd,Md mohammed=Mohd abdullah=Abdul"
  )
    .split(" ")
    .map((pair) => pair.split("=") as [string, string])
    .map(([long, short]) => [long, short.split(",")] as const),
)

function familiar(name: string, next: Next): string | null {
  const person = splitPerson(name)
  const short = DIMINUTIVES.get(person?.given[0]?.toLowerCase() ?? "")
  return person === null || short === undefined ? null : `${pick(short, next)} ${person.family}`
}

const MOHAMMED = /\b(?:muhamm?[ae]d|moh[ae]m+[ae]d|mohamed)\b/i
const otherMohammed = (name: string, next: Next): string | null => {
  const found = MOHAMMED.exec(name)?.[0]
  if (found === undefined) return null
  const forms = ["Mohammed", "Muhammad", "Mohamed", "Mohamad", "Muhammed", "Mohammad", "Mohd", "Mahomed"]
  return name.replace(
    found,
    pick(
      forms.filter((one) => one.toLowerCase() !== found.toLowerCase()),
      next,
    ),
  )
}

/** Removes one space and adds one elsewhere. */
function movedSpace(name: string, next: Next): string | null {
  const spaces = [...name.matchAll(/(?<=[A-Za-z]{2}) (?=[A-Za-z]{2})/g)].map(({ index }) => index)
  if (spaces.length === 0) return null
  const at = pick(spaces, next)
  const joined = name.slice(0, at) + name.slice(at + 1)
  const moved = at + pick([-1, 1], next)
  return `${joined.slice(0, moved)} ${joined.slice(moved)}`
}

/** The key beside the space bar instead of the space, or a space within a word. */
function mistypedSpace(name: string, next: Next): string | null {
  const spaces = [...name.matchAll(/(?<=[A-Za-z]{3}) (?=[A-Za-z]{3})/g)].map(({ index }) => index)
  const within = [...name.matchAll(/(?<=[A-Za-z]{3})(?=[A-Za-z]{3})/g)].map(({ index }) => index)
  if (next() < 0.5 && within.length > 0) {
    const at = pick(within, next)
    return `${name.slice(0, at)} ${name.slice(at)}`
  }
  if (spaces.length === 0) return null
  const at = pick(spaces, next)
  return name.slice(0, at) + pick([..."bnv"], next) + name.slice(at + 1)
}

function missingSpaces(name: string): string | null {
  const bare = withoutForm(name).replace(/,/g, "")
  return /\S \S/.test(bare) && bare.length < 40 ? bare.replaceAll(" ", "") : null
}

const withNumeral = (name: string): string | null => {
  const roman = /\b(II|III|IV|V|VI|VII|VIII|IX|X)$/.exec(name)?.[0]
  const arabic = /(?<=[A-Za-z] )([1-9]|10)$/.exec(name)?.[0]
  const all = ["", "I", "II", "III", "IV", "V", "VI", "VII", "VIII", "IX", "X"]
  if (roman !== undefined) return name.slice(0, -roman.length) + all.indexOf(roman)
  return arabic === undefined ? null : name.slice(0, -arabic.length) + all[Number(arabic)]
}

const CYRILLIC: readonly (readonly [string, string])[] = (
  "shch=щ yevich=евич yev=ев yeg=ег iy=ий ay=ай ey=ей oy=ой zh=ж kh=х ts=ц ch=ч sh=ш yu=ю ya=я yo=ё ye=е a=а b=б v=в g=г d=д e=е z=з i=и y=ы k=к l=л " +
  "m=м n=н o=о p=п r=р s=с t=т u=у f=ф h=х c=к j=дж w=в x=кс q=к"
)
  .split(" ")
  .map((pair) => pair.split("=") as [string, string])
const RUSSIAN = /(?:ov|ev|in|sky|skiy|iy|ovich|evich|ovna|enko|chuk)\b/i

function inCyrillic(name: string): string | null {
  const person = splitPerson(name)
  if (person === null || !RUSSIAN.test(person.family) || !/^[A-Za-z]+$/.test(person.family)) return null
  let rest = `${person.family} ${person.given.join(" ")}`.toLowerCase()
  let out = ""
  while (rest !== "") {
    const [from, to] = CYRILLIC.find(([latin]) => rest.startsWith(latin)) ?? [rest[0]!, rest[0]!]
    out += to
    rest = rest.slice(from.length)
  }
  return out.replace(/(?<= |^)./g, (letter) => letter.toUpperCase())
}

const birthYear = ({ birthDates }: Party): string | undefined => /\b(?:19|20)\d\d\b/.exec(birthDates[0] ?? "")?.[0]

const ORG = ["org"] as const
const PERSON = ["person"] as const
const VESSEL = ["vessel"] as const
const BOTH = ["org", "person"] as const

export const DODGES: Readonly<Record<string, DodgeClass>> = {
  "trade word left out": {
    ...{ types: ORG, count: 120 },
    dodge: (name) => {
      const found = tradeWords(name)
      if (found === null) return null
      return found.words.filter((_, at) => at !== found.at).join(" ")
    },
  },
  "trade word exchanged": {
    ...{ types: ORG, count: 106 },
    dodge: (name, next) => {
      const found = tradeWords(name)
      if (found === null) return null
      return found.words
        .map((word, at) => (at === found.at ? pick(SYNONYMS.get(word.toUpperCase())!, next) : word))
        .join(" ")
    },
  },
  "trade word shortened": { types: ORG, count: 100, dodge: shortened },
  "word added": {
    ...{ types: ORG, count: 100 },
    dodge: (name, next) => pick([`${pick(ADDED, next)} ${name}`, `${withoutForm(name)} ${pick(ADDED, next)}`], next),
  },
  "legal form changed": {
    ...{ types: ORG, count: 100 },
    dodge: (name, next) => {
      const bare = withoutForm(name)
      return bare === name || bare.length < 5
        ? null
        : `${bare} ${pick(["", "LLC", "Limited", "Inc.", "S.A.", "GmbH", "B.V.", "FZE"], next)}`.trim()
    },
  },
  "acronym written otherwise": { types: ORG, count: 80, dodge: otherAcronym },
  "payment reference behind": {
    types: BOTH,
    count: 120,
    dodge: (name, next) => `${personOf(name)} ${pick(REFERENCES, next)(next)}`,
  },
  "payment text before": {
    types: BOTH,
    count: 100,
    dodge: (name, next) => `${pick(PURPOSES, next)(next)} ${personOf(name)}`,
  },
  "place behind": { types: BOTH, count: 100, dodge: (name, next) => withPlace(personOf(name), next) },
  honorific: {
    types: PERSON,
    count: 120,
    dodge: (name, next) => `${pick(HONORIFICS, next).replace("+", " ")} ${personOf(name)}`,
  },
  "and family": {
    ...{ types: PERSON, count: 60 },
    dodge: (name, next) =>
      `${personOf(name)} ${pick(["& family", "and family", "and sons", "& Sons", "and wife", "& brothers", "+ family"], next)}`,
  },
  "year of birth": {
    ...{ types: PERSON, count: 80 },
    dodge: (name, next, party) => {
      const year = birthYear(party)
      if (year === undefined) return null
      return `${personOf(name)} ${pick([`(b. ${year})`, `born ${year}`, `DOB ${year}`, year, `*${year}`, `(${year})`], next)}`
    },
  },
  "given name as an initial": { types: PERSON, count: 120, dodge: initialled },
  "Abd al-X": { types: PERSON, count: 100, dodge: otherAbd },
  "Arabic article": { types: PERSON, count: 100, dodge: otherArticle },
  "Arabic vowels": { types: PERSON, count: 120, dodge: otherVowels },
  "Mohammed's spellings": { types: PERSON, count: 80, dodge: otherMohammed },
  "RI and LEE": { types: PERSON, count: 80, dodge: otherKorean },
  "short given name": { types: PERSON, count: 100, dodge: familiar },
  "spaces missing": { types: BOTH, count: 80, dodge: missingSpaces },
  "space moved": { types: BOTH, count: 80, dodge: movedSpace },
  "space mistyped": { types: BOTH, count: 80, dodge: mistypedSpace },
  "vessel prefix": {
    types: VESSEL,
    count: 80,
    dodge: (name, next) =>
      `${pick(["MV", "M/V", "M.V.", "MT", "M/T", "VESSEL", "MOTOR VESSEL", "SS", "M.T."], next)} ${name}`,
  },
  "vessel numeral": { types: VESSEL, count: 60, dodge: (name) => withNumeral(name) },
  "IMO number": {
    ...{ types: VESSEL, count: 60 },
    dodge: (_name, next, { identifiers }) => {
      const imo = identifiers.find(({ scheme }) => scheme === "imo")?.value.replace(/\D/g, "")
      return imo === undefined
        ? null
        : pick([`IMO ${imo}`, `VESSEL IMO ${imo}`, `OCEAN PEARL IMO:${imo}`, `BLUE WAVE (IMO NO. ${imo})`], next)
    },
  },
  "Cyrillic letters": { types: PERSON, count: 200, dodge: inCyrillic },
}
