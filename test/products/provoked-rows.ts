/** How each row that is never sold is provoked: a valid body of its product with one fault. */
import { DAY, formatInstant, HOUR } from "../../src/core/time.ts"
import { challenge } from "../fixtures/gb.ts"
import { CURRENT_PAYEE, vendorChangeBody } from "../fixtures/vendor-change.ts"

export type Body = Record<string, unknown>
export const at = (from: number) => formatInstant(Date.now() + from)
export const within = (body: Body, member: string, changes: Body): Body => ({
  ...body,
  [member]: { ...(body[member] as Body), ...changes },
})
export const executionId = (letter: string) => `exe_${letter.repeat(22)}`

/** The records that the bodies name. */
export const NAMED = {
  nobody: "a reference to nothing",
  otherApproval: executionId("M"),
  endedApproval: executionId("E"),
  gbOtherPayee: executionId("P"),
  gbLate: executionId("N"),
  usOtherPayee: executionId("Q"),
  usLate: executionId("S"),
}
/** Bought before the walk: the challenges that were used, and an authorization that its holder took back. */
export const bought = { gbChallenge: "", usChallenge: "", revoked: "" }

/** Makes of a valid body one that fires the row. */
type Spoil = (body: Body) => Body

const bindingRows = (spoil: (changes: Body) => Spoil): Record<string, Spoil> => ({
  "PAYEE_BINDING_EXPIRED EVIDENCE_ENDED": (body) => spoil({ valid_until: at(-DAY) })(body),
  "PAYEE_BINDING_NOT_YET_VALID BODY": (body) => spoil({ verified_at: at(HOUR) })(body),
  "PAYEE_BINDING_TOO_OLD EVIDENCE_ENDED": (body) => spoil({ verified_at: at(-91 * DAY) })(body),
})

const changeRows = (
  of: { readonly other: string; readonly late: string; readonly used: () => string },
  spoil: (changes: Body) => Spoil,
): Record<string, Spoil> => ({
  "PRIOR_AUTHORIZATION_NOT_FOUND OWN_RECORDS": (body) => spoil({ prior_authorization_reference: NAMED.nobody })(body),
  "PRIOR_AUTHORIZATION_DIFFERS OWN_RECORDS": (body) => spoil({ prior_authorization_reference: of.other })(body),
  "CHALLENGE_REUSED OWN_RECORDS": (body) => spoil({ challenge: challenge({ reference: of.used() }) })(body),
  "CHALLENGE_NOT_FRESH OWN_RECORDS": (body) => spoil({ prior_authorization_reference: of.late })(body),
  "CHALLENGE_NOT_FRESH EVIDENCE_ENDED": (body) =>
    spoil({ challenge: challenge({ verified_at: at(-25 * HOUR) }) })(body),
  "CHALLENGE_NOT_FRESH BODY": (body) => spoil({ challenge: challenge({ verified_at: at(HOUR) }) })(body),
  "CHALLENGE_EXPIRED EVIDENCE_ENDED": (body) => spoil({ challenge: challenge({ valid_until: at(-HOUR) }) })(body),
})

const GB = { other: NAMED.gbOtherPayee, late: NAMED.gbLate, used: () => bought.gbChallenge }
const US = { other: NAMED.usOtherPayee, late: NAMED.usLate, used: () => bought.usChallenge }
const OTHER_NUMBER = { company_number: "00000001" }

export const PROVOKED: Readonly<Record<string, Readonly<Record<string, Spoil>>>> = {
  "gb.business.payment.authorize.v1": {
    "SUPPLIER_COMPANY_MISMATCH BODY": (body) => within(body, "supplier", OTHER_NUMBER),
    "INVOICE_COMPANY_MISMATCH BODY": (body) => within(body, "invoice", OTHER_NUMBER),
    "PAYEE_COMPANY_MISMATCH BODY": (body) => within(body, "payee", OTHER_NUMBER),
    ...bindingRows((changes) => (body) => {
      const { binding_evidence } = body["payee"] as Body
      return within(body, "payee", { binding_evidence: { ...(binding_evidence as Body), ...changes } })
    }),
    ...changeRows(GB, (changes) => (body) => within(body, "vendor_change", changes)),
  },
  "gb.vendor.payment_detail_change.authorize.v1": changeRows(GB, (changes) => (body) => ({ ...body, ...changes })),
  "us.invoice_payee.verify.v1": bindingRows((changes) => (body) => within(body, "binding_evidence", changes)),
  "us.payment.authorize.v1": {
    "SUPPLIER_APPROVAL_NOT_FOUND OWN_RECORDS": (body) => ({ ...body, supplier_approval_reference: NAMED.nobody }),
    "SUPPLIER_APPROVAL_EXPIRED OWN_RECORDS": (body) => ({ ...body, supplier_approval_reference: NAMED.endedApproval }),
    "SUPPLIER_APPROVAL_DIFFERS OWN_RECORDS": (body) => ({ ...body, supplier_approval_reference: NAMED.otherApproval }),
  },
  "us.vendor.payment_detail_change.authorize.v1": changeRows(US, (changes) => () => {
    const current = "prior_authorization_reference" in changes ? { current_payee_fingerprint: CURRENT_PAYEE } : {}
    return vendorChangeBody({ ...current, ...changes }) as unknown as Body
  }),
  "us.vendor.authorization.continue.v1": {
    "PRIOR_AUTHORIZATION_NOT_FOUND OWN_RECORDS": (body) => ({ ...body, prior_authorization_reference: NAMED.nobody }),
    "PRIOR_AUTHORIZATION_DIFFERS OWN_RECORDS": (body) => ({
      ...body,
      prior_authorization_reference: NAMED.otherApproval,
    }),
    "PRIOR_AUTHORIZATION_NO_LONGER_SUPPORTED OWN_RECORDS": (body) => ({
      ...body,
      prior_authorization_reference: bought.revoked,
    }),
  },
}

/** Only the payer's signature shows whose challenge was used. */
export const QUOTED: ReadonlySet<string> = new Set([
  "gb.business.payment.authorize.v1 CHALLENGE_REUSED",
  "gb.vendor.payment_detail_change.authorize.v1 CHALLENGE_REUSED",
])
