/** Rows of the UK policies, in order of precedence. */
import { type PolicyReason, reasonRow } from "../policy/policy.ts"

const SUPPLIER = "SUPPLIER"
const INVOICE = "INVOICE"
const PAYEE = "PAYEE"

export const COMPANY_NOT_REGISTERED = reasonRow(
  "COMPANY_NOT_REGISTERED",
  SUPPLIER,
  "BLOCK",
  "CORRECT_COMPANY_NUMBER",
  "The register has no company of this number.",
)

/** The monthly file lacks this number. The file can be a month old and contains no dissolved companies. */
const COMPANY_NOT_IN_MONTHLY_FILE = reasonRow(
  "COMPANY_NOT_IN_MONTHLY_FILE",
  SUPPLIER,
  "HOLD",
  "CHECK_COMPANY_NUMBER_IN_REGISTER",
  "The monthly file has no company of this number; the live register was not asked.",
)

/** Returns the rows with the row for a number that only the monthly file lacks, placed after the row of the live register. */
export function monthlyFileRows(reasons: readonly PolicyReason[]): PolicyReason[] {
  return reasons.flatMap((row) => (row === COMPANY_NOT_REGISTERED ? [row, COMPANY_NOT_IN_MONTHLY_FILE] : [row]))
}

export const SUPPLIER_COMPANY_MISMATCH = reasonRow(
  "SUPPLIER_COMPANY_MISMATCH",
  SUPPLIER,
  "BLOCK",
  "CORRECT_SUPPLIER_COMPANY_NUMBER",
  "The supplier is another company than the one the request is about.",
)

/** Findings against a registered company. */
export const SUPPLIER_ROWS = [
  reasonRow(
    "COMPANY_NOT_ACTIVE",
    SUPPLIER,
    "BLOCK",
    "STOP",
    "The register says that the company was dissolved, closed, removed or converted, or uses a word nobody has read.",
  ),
  reasonRow("SANCTIONS_MATCH", SUPPLIER, "BLOCK", "STOP", "A name or number of the company is that of a listed party."),
  reasonRow(
    "SANCTIONS_POSSIBLE_MATCH",
    SUPPLIER,
    "HOLD",
    "REVIEW_SCREENING_HITS",
    "A name of the company resembles a listed party; a person must tell them apart.",
  ),
  reasonRow(
    "COMPANY_IN_INSOLVENCY",
    SUPPLIER,
    "HOLD",
    "CONFIRM_WITH_OFFICE_HOLDER",
    "A liquidator, administrator, receiver or supervisor may alone be entitled to the payment.",
  ),
  reasonRow(
    "COMPANY_STRIKE_OFF_PROPOSED",
    SUPPLIER,
    "HOLD",
    "CONFIRM_COMPANY_CONTINUES",
    "The company is about to be struck off; what is paid to it then belongs to the Crown.",
  ),
  reasonRow(
    "EVIDENCE_INSUFFICIENT",
    SUPPLIER,
    "INCONCLUSIVE",
    "RETRY_WITH_BETTER_EVIDENCE",
    "The register, the list or the name did not suffice to say clear.",
  ),
  reasonRow(
    "ACCOUNTS_OVERDUE",
    SUPPLIER,
    "CONDITION",
    "CONFIRM_SUPPLIER_IS_TRADING",
    "The company has not filed accounts that were due.",
  ),
  reasonRow(
    "RECENTLY_INCORPORATED",
    SUPPLIER,
    "CONDITION",
    "CONFIRM_SUPPLIER_INDEPENDENTLY",
    "The company is so young that nothing else is known of it.",
  ),
] as const

export const INVOICE_ROWS = [
  reasonRow(
    "INVOICE_COMPANY_MISMATCH",
    INVOICE,
    "BLOCK",
    "CONFIRM_INVOICE_WITH_SUPPLIER",
    "The invoice is of another company than the one the request is about.",
  ),
  reasonRow(
    "INVOICE_NAME_MISMATCH",
    INVOICE,
    "HOLD",
    "CONFIRM_INVOICE_WITH_SUPPLIER",
    "The name on the invoice is not the registered one.",
  ),
  reasonRow(
    "INVOICE_NAME_IS_PREVIOUS_NAME",
    INVOICE,
    "CONDITION",
    "CONFIRM_CHANGE_OF_NAME",
    "The name on the invoice is one that the company gave up.",
  ),
  reasonRow(
    "INVOICE_NAME_SIMILAR",
    INVOICE,
    "CONDITION",
    "CONFIRM_INVOICE_NAME",
    "The name on the invoice is like the registered one, but not the same.",
  ),
] as const

export const PAYEE_COMPANY_MISMATCH = reasonRow(
  "PAYEE_COMPANY_MISMATCH",
  PAYEE,
  "BLOCK",
  "CORRECT_PAYEE_COMPANY_NUMBER",
  "The payee belongs to another company than the one the request is about.",
)
