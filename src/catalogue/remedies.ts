/**
 * What a person can do about a stopped answer: one row for each remediation code that a policy names. An answer gives the code to a machine;
 * pages and commands print the row to a person. A test compares these rows with the policies of every version.
 */

/** Who may take the way. NOBODY: the answer is final, and no one here can change it. */
type Actor = "BUYER" | "SUPPLIER" | "OPERATOR" | "REVIEWER" | "NOBODY"

interface Remedy {
  readonly code: string
  /** What to do, in one to three sentences. */
  readonly words: string
  readonly who: Actor
  /** A command of this program, or a method and a path of the service, to begin with. Words in capitals are the reader's own values. */
  readonly way: string
  /** True if the buyer then buys a new answer. The answer at hand never changes. */
  readonly isBoughtAgain: boolean
}

const ASK_AGAIN = "bizauth agent quote --server URL --request REQUEST.json --out QUOTE.json"
const SIGN_AGAIN =
  "bizauth agent sign-request --keys AGENT.json --mandate-key ORG.key --request DRAFT.json --out REQUEST.json"
const SHOW_SOURCES = "bizauth sources status --data DIR"
const AUTHORIZE_CHANGE = "POST /v1/us/vendors/payment-details/authorize-change"
/** The page shows what the register says beside what was asked. */
const READ_PAGE = "GET /deliveries/{executionId}"

type Rest = readonly [who: Actor, way: string, words: string]

const row = (isBoughtAgain: boolean, code: string, ...[who, way, words]: [...Rest]): Remedy => ({
  code,
  words,
  who,
  way,
  isBoughtAgain,
})
/** The buyer then buys a new answer. */
const again = (code: string, ...rest: [...Rest]): Remedy => row(true, code, ...rest)
/** No new answer is needed. */
const once = (code: string, ...rest: [...Rest]): Remedy => row(false, code, ...rest)

/** In alphabetical order of their codes. */
export const REMEDIES: readonly Remedy[] = [
  again(
    "APPROVE_SUPPLIER",
    "BUYER",
    "POST /v1/us/suppliers/approve",
    "Buy a current approval of this supplier, under this name and these identifiers, with the wallet that pays. Then ask again and name its execution id.",
  ),
  again(
    "AUTHORIZE_DESTINATION_CHANGE",
    "BUYER",
    AUTHORIZE_CHANGE,
    "Call the supplier at a number that you knew before. If the supplier confirms the new destination, authorize the change. Then ask again and name that answer in evidence_references.",
  ),
  again(
    "CHECK_COMPANY_NUMBER_IN_REGISTER",
    "BUYER",
    ASK_AGAIN,
    "Look the number up in the live register of Companies House. The monthly file lacks dissolved companies and the newest ones.",
  ),
  once(
    "CONFIRM_CHANGE_OF_NAME",
    "BUYER",
    READ_PAGE,
    "Ask the supplier why its invoice has a name that the company gave up. Do not pay unless the company itself confirms it.",
  ),
  again(
    "CONFIRM_COMPANY_CONTINUES",
    "BUYER",
    ASK_AGAIN,
    "Ask the supplier whether the proposal to strike it off was ended, and read that in the register. Then ask again.",
  ),
  again(
    "CONFIRM_DESTINATION_INDEPENDENTLY",
    "BUYER",
    SIGN_AGAIN,
    "Call the supplier at a number that you knew before, and ask where the money must go. Then name the same party as payee and as destination.",
  ),
  once(
    "CONFIRM_EXPOSURE",
    "BUYER",
    SIGN_AGAIN,
    "Compare the amount of the invoice with the exposure that the request states. Do not pay unless the difference is meant.",
  ),
  once(
    "CONFIRM_INVOICE_NAME",
    "BUYER",
    READ_PAGE,
    "Compare the name on the invoice with the registered name. Do not pay unless the supplier confirms that both are the same company.",
  ),
  again(
    "CONFIRM_INVOICE_WITH_SUPPLIER",
    "BUYER",
    ASK_AGAIN,
    "Call the supplier at a number that you knew before, and ask which invoice is right. Then ask again with the digest of that document.",
  ),
  once(
    "CONFIRM_LISTS_ARE_CURRENT",
    "OPERATOR",
    SHOW_SOURCES,
    "Import the newest publication of the list. Do not pay unless you accept the age that the answer states.",
  ),
  again(
    "CONFIRM_OBLIGATION_IS_UNPAID",
    "BUYER",
    ASK_AGAIN,
    "Look in your own books whether this obligation was paid. If it was, stop. If it was not, ask again with the reference that the earlier answer has.",
  ),
  again(
    "CONFIRM_PAYMENT_INSTRUCTION",
    "BUYER",
    SIGN_AGAIN,
    "Look in your own books whether this payment instruction was carried out. If it was not, make a new instruction and sign a new mandate for it.",
  ),
  once(
    "CONFIRM_PROGRAM_PERMITS_PAYMENT",
    "REVIEWER",
    "bizauth screen NAME --data DIR",
    "Read which dealings the program of the listed entry restricts. Do not pay if this payment is one of them.",
  ),
  once(
    "CONFIRM_SUPPLIER_INDEPENDENTLY",
    "BUYER",
    READ_PAGE,
    "The company is young. Check by another source that it is the supplier that you mean.",
  ),
  once(
    "CONFIRM_SUPPLIER_IS_TRADING",
    "BUYER",
    READ_PAGE,
    "Ask the supplier whether it still trades, and why its accounts are late.",
  ),
  once(
    "CONFIRM_SUPPLIER_REGISTRATION",
    "BUYER",
    "bizauth agent contact DRAFT.json --server URL",
    "Look the supplier up in the register that assigns its identifier. Do not pay unless that register knows it under this name.",
  ),
  once(
    "CONFIRM_WITH_A_CURRENT_SOURCE",
    "OPERATOR",
    SHOW_SOURCES,
    "The operator of this service accepted a source although it is old or small. Import a current one, or check the supplier by another source.",
  ),
  again(
    "CONFIRM_WITH_OFFICE_HOLDER",
    "BUYER",
    ASK_AGAIN,
    "Ask the liquidator, administrator or receiver whom the register names. Only that person may be entitled to the payment.",
  ),
  again(
    "CORRECT_COMPANY_NUMBER",
    "BUYER",
    ASK_AGAIN,
    "The register has no company of this number. Take the number from the register, never from the invoice, and ask again.",
  ),
  again(
    "CORRECT_PAYEE_BINDING_EVIDENCE",
    "BUYER",
    ASK_AGAIN,
    "The evidence about the payee says that it was verified later than now. Correct its time, and ask again.",
  ),
  again(
    "CORRECT_PAYEE_COMPANY_NUMBER",
    "BUYER",
    ASK_AGAIN,
    "The payee has the number of another company. Ask the supplier who is paid and why, correct the number, and ask again.",
  ),
  again(
    "CORRECT_SUPPLIER_COMPANY_NUMBER",
    "BUYER",
    ASK_AGAIN,
    "The supplier has another number than the company of the request. Correct the one that is wrong, and ask again.",
  ),
  again(
    "CORRECT_SUPPLIER_IDENTITY",
    "BUYER",
    ASK_AGAIN,
    "The register has another name under this identifier. Ask the supplier for its own identifier and its registered name, and ask again with both.",
  ),
  again(
    "ENROLL_DELEGATION",
    "BUYER",
    "bizauth agent delegate --organization-key ORG.key --keys AGENT.json --server URL --organization ID --organization-digest DIGEST --max-payment AMOUNT",
    "The organization must delegate to the key of this agent again. Then sign the request again.",
  ),
  again(
    "OBTAIN_FRESH_CHALLENGE",
    "BUYER",
    ASK_AGAIN,
    "Confirm the change with the supplier once more, by a way that the supplier did not propose. Then ask again with the new reference.",
  ),
  again(
    "REFERENCE_EARLIER_DECISION_AND_SIGN_NEW_MANDATE",
    "BUYER",
    SIGN_AGAIN,
    "Look in your own books whether this obligation was paid. If it was, stop. If it was not, name the earlier decision in evidence_references and sign a new mandate.",
  ),
  again(
    "REFERENCE_PRIOR_AUTHORIZATION",
    "BUYER",
    ASK_AGAIN,
    "Name the execution id of the last answer that let this supplier be paid, bought with the same wallet. Then ask again.",
  ),
  again(
    "RENEW_PAYEE_BINDING_EVIDENCE",
    "BUYER",
    ASK_AGAIN,
    "The evidence that the payee belongs to the company is too old. Verify the payee again, and ask again with the new evidence.",
  ),
  once(
    "RETRY_LATER_WITHOUT_PAYMENT",
    "OPERATOR",
    SHOW_SOURCES,
    "A required source is missing or too old. Nothing was charged. Ask again after the operator imported it.",
  ),
  again(
    "RETRY_WITH_BETTER_EVIDENCE",
    "BUYER",
    ASK_AGAIN,
    "The lists or a name did not suffice. If the name is the request's own, ask again with the registered name in Latin letters and with an identifier. If a list is too old, ask again after the operator imported current lists.",
  ),
  again(
    "REVIEW_PRIOR_AUTHORIZATION",
    "BUYER",
    "bizauth show ANSWER.json",
    "Compare the earlier answer with this request: another company, another payee, or a finding that is new. Correct the request, or have the supplier authorized anew.",
  ),
  again(
    "REVIEW_SCREENING_HITS",
    "REVIEWER",
    "bizauth suppressions add --data DIR --answer ID --hit 1 --because TEXT --until DAY",
    "A person compares the supplier with each listed entry below. If it is another party, record that judgement; the next answer then counts it. If it is the listed party, or nobody can tell, do not pay.",
  ),
  once(
    "SEEK_ALTERNATIVE",
    "OPERATOR",
    SHOW_SOURCES,
    "A required source cannot be used here, and a later attempt does not help. Nothing was charged. The operator must set the source up.",
  ),
  again(
    "SIGN_NEW_MANDATE",
    "BUYER",
    SIGN_AGAIN,
    "The mandate ended, was revoked, or does not cover this payment. The organization must sign a new one that does.",
  ),
  once(
    "STOP",
    "NOBODY",
    "bizauth show BUNDLE.json",
    "This is final. Do not pay, by this service or around it. Nobody here can turn this answer into a payment.",
  ),
  once(
    "USE_EARLIER_AUTHORIZATION",
    "BUYER",
    "GET /v1/us/executions/{executionId}",
    "A current authorization of this obligation exists. Use that one. A second one would pay the obligation twice.",
  ),
  once(
    "USE_EARLIER_DECISION",
    "BUYER",
    "bizauth agent recover --keys AGENT.json --request REQUEST.json --server URL --out DELIVERY.json",
    "A current decision about this obligation exists. Recover that one; it is free. A second one would pay the obligation twice.",
  ),
  once(
    "VERIFY_PAYEE_INDEPENDENTLY",
    "BUYER",
    "POST /v1/us/invoices/verify-payee",
    "Only the supplier's own statement says that this payee is its own. Call the supplier at a number that you knew before.",
  ),
  again(
    "VERIFY_PAYEE_OR_AUTHORIZE_DESTINATION",
    "BUYER",
    "POST /v1/us/invoices/verify-payee",
    "Nothing was ever paid to this destination. Verify the payee, or authorize the destination, and name that answer in evidence_references. Then ask again.",
  ),
]

const byCode = new Map(REMEDIES.map((one) => [one.code, one]))

/** Null for a code that no policy of this program names. */
export function findRemedy(code: string): Remedy | null {
  return byCode.get(code) ?? null
}
