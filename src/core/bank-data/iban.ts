// Account numbers by country in the SWIFT IBAN registry (release 100), and the ISO 13616 check.

/** `4a14n`: four letters, then fourteen digits. `c`: letters or digits. */
const FORMS = `
  11n NO · 12n BE · 14n DK FI FO GL SD · 2a12n FK · 4a10n NL · 15n SI · 3n10c2n MK · 16n AT BA EE LT MN XK
  3n13c KZ LU · 17n HR · 4a13c LV · 5n12c CH LI · 18n CR DE ME RS VA · 2a16n GE · 4a14c BH · 4a14n GB IE · 4a6n8c BG
  19n AE IL SO TL · 3n16c OM · 4a15c GI · 4a15n IQ · 20c MD PK · 20n CZ ES SE SK TN · 2n18c SA · 4a16c RO · 4a16n VG
  8n12c AD · 21n LY PT ST · 22n IS · 5n17c TR · 10n11c2n FR MC · 1a10n12c IT SM · 23n BI DJ MR · 7n16c GR · 24c GT
  24n HU PL · 4a20c AZ · 4a20n HN NI SV · 4c20n DO · 4c4n16c BY · 4n20c LB · 8n16c AL CY · 23n1a1c BR · 25c PS
  25n EG · 4a21c QA · 6n19c UA · 4a19n3a MU · 4a22c KW · 4a4n18c JO YE · 4a20n3a SC · 4a5n18c MT · 4a24c LC
  14n15c RU`

/** Of the IBANs of a country. */
interface IbanForm {
  readonly length: number
  /** Matches what follows country and check digits. */
  readonly account: RegExp
}

const CHARACTERS: Readonly<Record<string, string>> = { n: "[0-9]", a: "[A-Z]", c: "[A-Z0-9]" }

const COUNTRIES: ReadonlyMap<string, IbanForm> = formsOf(FORMS)

function formsOf(table: string): Map<string, IbanForm> {
  const forms = new Map<string, IbanForm>()
  let form: IbanForm = { length: 0, account: /^/ }
  for (const [word] of table.matchAll(/\w+/g)) {
    if (/\d/.test(word)) form = formOf(word)
    else forms.set(word, form)
  }
  return forms
}

function formOf(form: string): IbanForm {
  let length = 4
  let account = ""
  for (const [, count = "", kind = ""] of form.matchAll(/(\d+)([nac])/g)) {
    length += Number(count)
    account += `${CHARACTERS[kind]}{${count}}`
  }
  return { length, account: new RegExp(`^${account}$`, "i") }
}

/** Returns the IBAN length of a country (two capital letters), or undefined if the country has no IBAN. */
export function ibanLength(country: string): number | undefined {
  return COUNTRIES.get(country)?.length
}

/**
 * Whether `text`, without separators and in any case, has the form of its country's IBANs and its check digits. Check digits alone
 * would reject a random nonce in some hundred thousand requests.
 */
export function isIban(text: string): boolean {
  const form = COUNTRIES.get(text.slice(0, 2).toUpperCase())
  return form?.account.test(text.slice(4)) === true && ibanRemainder(text) === 1
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
