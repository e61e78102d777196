// The labels before a number in the list's free text, and their many spellings.

/** The registers' own abbreviations. KPP is not here: it is a tax office code that branches and unrelated companies share. */
export const SCHEME_OF_LABEL: Readonly<Record<string, string>> = {
  INN: "tax",
  TIN: "tax",
  UNP: "tax",
  VAT: "tax",
  OGRN: "registration",
  OGRNIP: "registration",
  OKPO: "registration",
  BIN: "registration",
  USCC: "registration",
  LEI: "lei",
  KPP: "other",
}

const LABEL = Object.keys(SCHEME_OF_LABEL)
  .sort((a, b) => b.length - a.length)
  .join("|")
const NUMBER = "(?:numbers?|nos?\\.?|code|ID|identifier)"

/** A label as it is spelled out or abbreviated otherwise, and a label of the table with the same scheme. The first that matches counts. */
const SPELLINGS = (
  [
    ["tax(?:ation)? registration reason code|reason code for (?:tax )?registration", "KPP"],
    [
      `(?:individual |unified )?tax(?:payer)?(?:['’]?s)?(?: personal)? (?:identification|registration|ID)(?: ${NUMBER})?`,
      "TIN",
    ],
    [`tax(?:payer)? ${NUMBER}`, "TIN"],
    [`VAT (?:registration |identification )?${NUMBER}`, "VAT"],
    [`(?:primary|main|principal|basic) state (?:business )?registration ${NUMBER}`, "OGRN"],
    ["(?:unified|united|uniform) social credit (?:code|identifier|number)", "USCC"],
    ["legal entity identifier(?: code)?", "LEI"],
    ["business identification number", "BIN"],
    [
      `(?:(?:company|business|commercial|corporate|trade|state|entity|organi[sz]ation)(?:['’]s)? )?(?:registration|registry|register|incorporation) ${NUMBER}`,
      "OGRN",
    ],
    [`compan(?:y|ies)(?: house)? ${NUMBER}`, "OGRN"],
    ["PSRN|MSRN|CRN|EDRPOU|ОГРНИП|ОГРН", "OGRN"],
    ["ИНН", "INN"],
    ["КПП", "KPP"],
    ["ОКПО", "OKPO"],
    ["УНП", "UNP"],
    ["БИН", "BIN"],
  ] as const
).map(([spelling, label]) => [new RegExp(`(?<!\\p{L})(?:${spelling})(?!\\p{L})`, "giu"), label] as const)

export const DASHES = /[\u2010-\u2015\u2212\ufe58\ufe63\uff0d]/g
/** `Taxpayer Identification Number (INN)`, where both became a label. The one in brackets is the register's own. */
const TWICE = new RegExp(`\\b(?:${LABEL}) ?\\((${LABEL})\\)`, "gi")
/** `INN/KPP 7710137066/770701001`. */
const PAIRED = new RegExp(`\\b(${LABEL}) ?[/,&] ?(${LABEL})[ :#.-]*(\\d{5,15}) ?[/,&] ?(\\d{5,15})(?!\\d)`, "gi")
/** `INN7710137066OGRN1027739642281`. Only after a label and digits: a credit code has letters of its own. */
const RUN_TOGETHER = new RegExp(`(?<=(?<![A-Z])(?:${LABEL})[ :#.-]*\\d{5,15})(?=(?:${LABEL})[ :#.-]*\\d)`, "gi")
const SIGNS = new RegExp(`\\b(${LABEL})(?: (?:number|no\\.?))?(?: ?[.:=#-])+ *(?=[A-Z0-9])`, "gi")
/** `INN 7710 137 066`. */
const GROUPED = new RegExp(`(?<=\\b(?:${LABEL})[ :]*)\\d{2,4}(?: \\d{2,4}){1,6}(?![\\d-])`, "gi")

/** Returns the text with each label as one word of the table, one space or colon after it, and a space before it. */
export function withPlainLabels(piece: string): string {
  let text = piece.replace(DASHES, "-")
  for (const [spelling, label] of SPELLINGS) text = text.replace(spelling, label)
  return text
    .replace(TWICE, "$1")
    .replace(PAIRED, "$1 $3 $2 $4")
    .replace(RUN_TOGETHER, " ")
    .replace(SIGNS, "$1: ")
    .replace(GROUPED, (digits) => digits.replaceAll(" ", ""))
}
