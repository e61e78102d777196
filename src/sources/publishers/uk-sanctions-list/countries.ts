/** The Foreign Office's country texts to ISO 3166-1 alpha-2. */

import { countryOfName } from "../../records/country-codes.ts"

/** The publisher's own spellings. Not in the shared table, because a name added there would change how the US lists are read. */
const UK_NAMES: Readonly<Record<string, string>> = {
  "bosnia-herzegovina": "BA",
  "congo (democratic republic)": "CD",
  "congo (democratic republic of)": "CD",
  congo: "CG",
  "ivory coast": "CI",
  "korea (democratic people's republic of)": "KP",
  "korea (north)": "KP",
  "korea (republic of)": "KR",
  "korea (south)": "KR",
  "occupied palestinian territories": "PS",
  "st kitts and nevis": "KN",
  "st vincent": "VC",
  "st vincent and the grenadines": "VC",
  türkiye: "TR",
  uae: "AE",
  usa: "US",
}

const folded = new Map(Object.entries(UK_NAMES))

/** Returns null for a text that does not name a single country. */
export function ukCountry(text: string): string | null {
  const name = text.trim().toLowerCase().replaceAll("’", "'")
  return folded.get(name) ?? countryOfName(name) ?? countryOfName(name.replace(/^the /, ""))
}

/** Reads a cell that may name several countries. Omits texts that are not a country. */
export function ukCountries(text: string): readonly string[] {
  const whole = ukCountry(text)
  return (whole ? [whole] : text.split(/[;|/,\n]/).map(ukCountry)).filter((code) => code !== null)
}
