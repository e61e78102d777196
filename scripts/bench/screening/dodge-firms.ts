/** Ways in which a payer writes the name of a listed organisation: its trade word, its abbreviations, its initials. */
import type { Next } from "./name-variants.ts"

export const pick = <T>(items: readonly T[], next: Next): T => items[Math.floor(next() * items.length)]!

const FORMS =
  /(?:^|[,\s]+)(?:(?:(?:OPEN|CLOSED|PUBLIC) )?JOINT STOCK COMPANY|LIMITED LIABILITY (?:COMPANY|PARTNERSHIP)|FZ LLC|LLC|L\.L\.C\.|LTD\.?|LIMITED|INC\.?|CO\.?|CORP\.?|CORPORATION|COMPANY|S\.?A\.?|GMBH|PJSC|JSC|OJSC|OOO|FZE|FZCO|PLC|A\.?S\.?|LTDA\.?|S\.?R\.?L\.?|PVT\.?|PTE\.?)(?=[\s,.)]|$)/gi

export const withoutForm = (name: string): string =>
  name
    .replace(FORMS, "")
    .replace(/[\s,.]+$/, "")
    .trim()

const TRADES: readonly (readonly string[])[] = [
  ["AIR", "AIRLINES", "AIRWAYS", "AVIATION"],
  ["AIRLINE", "AIR", "AVIATION"],
  ["AIRLINES", "AIR", "AIRWAYS", "AVIATION"],
  ["AIRWAYS", "AIR", "AIRLINES"],
  ["AVIATION", "AIR", "AIRLINES"],
  ["BANK", "BANKING", "BANQUE", "BANCO"],
  ["BANCO", "BANK", "BANQUE"],
  ["TRADING", "TRADE", "TRADERS"],
  ["TRADE", "TRADING"],
  ["OIL", "PETROLEUM"],
  ["PETROLEUM", "OIL"],
  ["ENGINEERING", "ENGINEERS"],
  ["GROUP", "HOLDING", "HOLDINGS"],
  ["HOLDING", "GROUP", "GROUPE"],
  ["SHIPPING", "MARITIME", "SHIP"],
  ["CONSTRUCTION", "CONSTRUCTORS", "CONTRACTING"],
  ["INDUSTRIES", "INDUSTRIAL", "INDUSTRY"],
  ["INDUSTRIAL", "INDUSTRIES"],
  ["TRANSPORT", "TRANSPORTATION", "LOGISTICS"],
  ["LOGISTICS", "TRANSPORT", "CARGO"],
  ["INVESTMENT", "INVESTMENTS", "CAPITAL"],
  ["EXCHANGE", "MONEY EXCHANGE"],
  ["PETROCHEMICAL", "PETROCHEMICALS", "CHEMICAL"],
  ["ELECTRONICS", "ELECTRONIC"],
  ["SERVICES", "SERVICE"],
]
export const SYNONYMS = new Map(TRADES.map(([word, ...others]) => [word!, others]))

/** The words of an organisation's name with exactly one trade word besides one or two others. */
export function tradeWords(name: string): { readonly words: string[]; readonly at: number } | null {
  const words = withoutForm(name)
    .replace(/[().,"]/g, " ")
    .split(/\s+/)
    .filter(Boolean)
  const places = words.flatMap((word, at) => (SYNONYMS.has(word.toUpperCase()) ? [at] : []))
  const others = words.filter((word) => /^[A-Za-z]{4,}$/.test(word) && !SYNONYMS.has(word.toUpperCase()))
  if (places.length !== 1 || words.length > 3 || others.length === 0) return null
  return { words, at: places[0]! }
}

const SHORT_WORDS: readonly (readonly [RegExp, readonly string[]])[] = [
  [/\bPETROCHEMICALS?\b/i, ["PETROCHEM", "PETCHEM."]],
  [/\bSHIPPING\b/i, ["SHIPG", "SHPG", "SHPNG."]],
  [/\bGENERAL TRADING\b/i, ["GEN TRDG", "GEN. TRD."]],
  [/\bTRADING\b/i, ["TRDG", "TRD."]],
  [/\bINTERNATIONAL\b/i, ["INTL", "INT'L", "INTERNAT."]],
  [/\bMANUFACTURING\b/i, ["MFG", "MANUF."]],
  [/\bCOMERCIAL(?:IZADORA)?\b/i, ["COMERC.", "COM."]],
  [/\bINDUSTR(?:Y|IES|IAL)\b/i, ["IND", "INDS.", "INDUST."]],
  [/\bENGINEERING\b/i, ["ENG", "ENGG", "ENGR."]],
  [/\bDEVELOPMENT\b/i, ["DEV", "DEVT"]],
  [/\bCONSTRUCTION\b/i, ["CONST", "CONSTR."]],
  [/\bTRANSPORT(?:ATION)?\b/i, ["TRANSP.", "TPT"]],
  [/\bINVESTMENTS?\b/i, ["INV", "INVEST.", "INVT"]],
  [/\bGROUP\b/i, ["GRP", "GP."]],
  [/\bTECHNOLOG(?:Y|IES)\b/i, ["TECH", "TECHN."]],
  [/\bSERVICES\b/i, ["SVCS", "SERV."]],
  [/\bNATIONAL\b/i, ["NATL", "NAT."]],
]

export function shortened(name: string, next: Next): string | null {
  const usable = SHORT_WORDS.filter(([long]) => long.test(name))
  if (usable.length === 0) return null
  const [long, short] = pick(usable, next)
  return name.replace(long, pick(short, next))
}

/** A listed acronym of three to six letters, written otherwise. */
export function otherAcronym(name: string, next: Next): string | null {
  const bare = withoutForm(name).replace(/\./g, "")
  if (!/^[A-Z]{3,6}$/.test(bare) || bare.replace(/[AEIOU]/g, "").length < bare.length - 1) return null
  const letters = [...bare]
  return pick(
    [
      letters.join("."),
      `${letters.join(".")}.`,
      letters.join(" "),
      bare.toLowerCase(),
      letters.join("-"),
      letters.join(". "),
    ],
    next,
  )
}
