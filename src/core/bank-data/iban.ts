/** IBAN lengths of the SWIFT IBAN registry (release 100), and the ISO 13616 check. */

const LENGTHS: ReadonlyMap<string, number> = lengthsOf(`
  15 NO · 16 BE · 18 DK FI FK FO GL NL SD · 19 MK SI · 20 AT BA EE KZ LT LU MN XK · 21 CH HR LI LV
  22 BG BH CR DE GB GE IE ME RS VA · 23 AE GI IL IQ OM SO TL · 24 AD CZ ES MD PK RO SA SE SK TN VG · 25 LY PT ST
  26 IS TR · 27 BI DJ FR GR IT MC MR SM · 28 AL AZ BY CY DO GT HN HU LB NI PL SV · 29 BR EG PS QA UA
  30 JO KW MU YE · 31 MT SC · 32 LC · 33 RU`)

function lengthsOf(table: string): Map<string, number> {
  const lengths = new Map<string, number>()
  let length = 0
  for (const [word] of table.matchAll(/\w+/g)) {
    if (/\d/.test(word)) length = Number(word)
    else lengths.set(word, length)
  }
  return lengths
}

/** Returns the IBAN length of a country (two capital letters), or undefined if the country has no IBAN. */
export function ibanLength(country: string): number | undefined {
  return LENGTHS.get(country)
}

/** Returns the ISO 7064 mod 97 remainder of `text`, which consists of letters and digits in any case. A valid IBAN leaves 1. */
export function ibanRemainder(text: string): number {
  let remainder = 0
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt((i + 4) % text.length)
    // A letter counts from A = 10 in either case.
    remainder = (code < 0x3a ? remainder * 10 + (code - 0x30) : remainder * 100 + ((code | 0x20) - 0x57)) % 97
  }
  return remainder
}
