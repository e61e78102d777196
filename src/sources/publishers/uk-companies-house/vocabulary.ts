/**
 * The values of Companies House's published enumerations, verbatim, and the texts that its monthly file uses instead. A text in neither
 * table is returned unchanged with `known` false: an unknown status is not active.
 */

export const COMPANY_STATUSES = [
  "active",
  "dissolved",
  "liquidation",
  "receivership",
  "converted-closed",
  "voluntary-arrangement",
  "insolvency-proceedings",
  "administration",
  "open",
  "closed",
  "registered",
  "removed",
] as const
type CompanyStatus = (typeof COMPANY_STATUSES)[number]

export const COMPANY_STATUS_DETAILS = [
  "active",
  "dissolved",
  "converted-closed",
  "transferred-from-uk",
  "active-proposal-to-strike-off",
  "petition-to-restore-dissolved",
  "transformed-to-se",
  "converted-to-plc",
  "converted-to-uk-societas",
  "converted-to-ukeig",
] as const
type CompanyStatusDetail = (typeof COMPANY_STATUS_DETAILS)[number]

const JURISDICTIONS = [
  "england-wales",
  "wales",
  "scotland",
  "northern-ireland",
  "european-union",
  "united-kingdom",
  "england",
  "noneu",
] as const
type Jurisdiction = (typeof JURISDICTIONS)[number]

export const COMPANY_TYPES = [
  "private-unlimited",
  "ltd",
  "plc",
  "old-public-company",
  "private-limited-guarant-nsc-limited-exemption",
  "limited-partnership",
  "private-limited-guarant-nsc",
  "converted-or-closed",
  "private-unlimited-nsc",
  "private-limited-shares-section-30-exemption",
  "protected-cell-company",
  "assurance-company",
  "oversea-company",
  "eeig-establishment",
  "icvc-securities",
  "icvc-warrant",
  "icvc-umbrella",
  "registered-society-non-jurisdictional",
  "industrial-and-provident-society",
  "northern-ireland",
  "northern-ireland-other",
  "llp",
  "royal-charter",
  "investment-company-with-variable-capital",
  "unregistered-company",
  "other",
  "european-public-limited-liability-company-se",
  "united-kingdom-societas",
  "uk-establishment",
  "scottish-partnership",
  "charitable-incorporated-organisation",
  "scottish-charitable-incorporated-organisation",
  "further-education-or-sixth-form-college-corporation",
  "eeig",
  "ukeig",
  "registered-overseas-entity",
] as const
type CompanyType = (typeof COMPANY_TYPES)[number]

interface BulkStatus {
  /** Null only for an empty text. */
  readonly status: string | null
  readonly detail: string | null
  readonly known: boolean
}

// CHOICE: the enumeration has no value for two procedures at once. They become `insolvency-proceedings`, unless both are kinds of
// receiver. The enumeration does not map the file's texts, so no text gets a milder value than its wording.
const BULK_STATUSES: ReadonlyMap<string, readonly [CompanyStatus, CompanyStatusDetail | null]> = new Map([
  ["active", ["active", null]],
  ["active - proposal to strike off", ["active", "active-proposal-to-strike-off"]],
  ["liquidation", ["liquidation", null]],
  ["in administration", ["administration", null]],
  ["administration order", ["administration", null]],
  ["administrative receiver", ["receivership", null]],
  ["receivership", ["receivership", null]],
  ["receiver manager / administrative receiver", ["receivership", null]],
  ["live but receiver manager on at least one charge", ["receivership", null]],
  ["in administration/administrative receiver", ["insolvency-proceedings", null]],
  ["in administration/receiver manager", ["insolvency-proceedings", null]],
  ["voluntary arrangement", ["voluntary-arrangement", null]],
  ["voluntary arrangement / administrative receiver", ["insolvency-proceedings", null]],
  ["voluntary arrangement / receiver manager", ["insolvency-proceedings", null]],
  ["voluntary arrangement / receivership", ["insolvency-proceedings", null]],
  ["insolvency proceedings", ["insolvency-proceedings", null]],
  ["dissolved", ["dissolved", null]],
  ["converted / closed", ["converted-closed", null]],
  ["converted/closed", ["converted-closed", null]],
  ["open", ["open", null]],
  ["closed", ["closed", null]],
  ["registered", ["registered", null]],
  ["removed", ["removed", null]],
])

interface BulkText {
  readonly value: string | null
  readonly known: boolean
}

// CHOICE: a community interest company is one of three types, and the file does not state which. It keeps the enumeration's value for
// the subtype. "Private Unlimited" does not mention share capital, so its value does not either.
const BULK_TYPES: ReadonlyMap<string, CompanyType | "community-interest-company"> = new Map([
  ["private limited company", "ltd"],
  ["public limited company", "plc"],
  ["old public company", "old-public-company"],
  ["private unlimited company", "private-unlimited"],
  ["private unlimited", "private-unlimited"],
  ["pri/ltd by guar/nsc (private, limited by guarantee, no share capital)", "private-limited-guarant-nsc"],
  [
    "pri/lbg/nsc (private, limited by guarantee, no share capital, use of 'limited' exemption)",
    "private-limited-guarant-nsc-limited-exemption",
  ],
  [
    "priv ltd sect. 30 (private limited company, section 30 of the companies act)",
    "private-limited-shares-section-30-exemption",
  ],
  ["community interest company", "community-interest-company"],
  ["limited liability partnership", "llp"],
  ["limited partnership", "limited-partnership"],
  ["scottish partnership", "scottish-partnership"],
  ["charitable incorporated organisation", "charitable-incorporated-organisation"],
  ["scottish charitable incorporated organisation", "scottish-charitable-incorporated-organisation"],
  ["registered society", "registered-society-non-jurisdictional"],
  ["industrial and provident society", "industrial-and-provident-society"],
  ["royal charter company", "royal-charter"],
  ["investment company with variable capital", "investment-company-with-variable-capital"],
  ["investment company with variable capital (securities)", "icvc-securities"],
  ["investment company with variable capital(securities)", "icvc-securities"],
  ["investment company with variable capital(umbrella)", "icvc-umbrella"],
  ["investment company with variable capital (umbrella)", "icvc-umbrella"],
  ["protected cell company", "protected-cell-company"],
  ["assurance company", "assurance-company"],
  ["overseas company", "oversea-company"],
  ["overseas entity", "registered-overseas-entity"],
  ["uk establishment company", "uk-establishment"],
  ["unregistered company", "unregistered-company"],
  ["united kingdom societas", "united-kingdom-societas"],
  ["united kingdom economic interest grouping", "ukeig"],
  ["european public limited-liability company (se)", "european-public-limited-liability-company-se"],
  ["european public limited liability company (se)", "european-public-limited-liability-company-se"],
  ["further education and sixth form college corps", "further-education-or-sixth-form-college-corporation"],
  ["converted/closed", "converted-or-closed"],
  ["converted / closed", "converted-or-closed"],
  ["northern ireland company", "northern-ireland"],
  ["credit union (northern ireland)", "northern-ireland-other"],
  ["other company type", "other"],
])

/** `CompanyStatus` of the monthly file. */
export function bulkStatus(text: string): BulkStatus {
  const shown = text.trim()
  if (shown === "") return { status: null, detail: null, known: false }
  const mapped = BULK_STATUSES.get(shown.toLowerCase())
  if (!mapped) return { status: shown, detail: null, known: false }
  return { status: mapped[0], detail: mapped[1], known: true }
}

/** `CompanyCategory` of the monthly file. */
export function bulkCompanyType(text: string): BulkText {
  const shown = text.trim()
  if (shown === "") return { value: null, known: false }
  const mapped = BULK_TYPES.get(shown.toLowerCase())
  return mapped ? { value: mapped, known: true } : { value: shown, known: false }
}

const JURISDICTION_BY_PREFIX: Readonly<Record<string, Jurisdiction>> = {
  SC: "scotland",
  SO: "scotland",
  SL: "scotland",
  SP: "scotland",
  SR: "scotland",
  SZ: "scotland",
  SF: "scotland",
  SI: "scotland",
  SA: "scotland",
  NI: "northern-ireland",
  NC: "northern-ireland",
  NL: "northern-ireland",
  NP: "northern-ireland",
  NR: "northern-ireland",
  NZ: "northern-ireland",
  NF: "northern-ireland",
  NA: "northern-ireland",
  NO: "northern-ireland",
  NV: "northern-ireland",
  R0: "northern-ireland",
}

/**
 * Returns the jurisdiction that a number's prefix states, for the monthly file, which has no such column. Returns null for numbers of
 * England and Wales: they may be `england-wales`, `wales` or `england`, and the number does not show which.
 */
export function jurisdictionOfNumber(companyNumber: string): Jurisdiction | null {
  return JURISDICTION_BY_PREFIX[companyNumber.slice(0, 2)] ?? null
}
