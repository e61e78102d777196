/** The values that an authorization token is bound to (rulings 58). A redeemer repeats every value. */
import { Type } from "@sinclair/typebox"
import { Amount, Currency, closed, EvmAddress, PayeeFingerprint } from "./common.ts"
import { CompanyNumber } from "./gb/company-number.ts"

const gbCompany = { company_number: CompanyNumber }
const usCompany = {
  supplier_key: Type.String({
    pattern: "^(lei|uei|cage|cik):[0-9A-Z]{5,20}$",
    description: "The strongest identifier of the company, its kind in front: lei, uei, cage, cik",
  }),
}
const payment = {
  payee_fingerprint: PayeeFingerprint,
  amount: Amount,
  currency: Currency,
}
const change = {
  current_payee_fingerprint: PayeeFingerprint,
  proposed_payee_fingerprint: PayeeFingerprint,
}
const usChange = {
  ...change,
  current_payee_fingerprint: Type.Union([
    { ...PayeeFingerprint, description: `${PayeeFingerprint.description}; null for a first destination` },
    Type.Null(),
  ]),
}
/** The wallet that bought the answer. */
const buyer = { wallet: EvmAddress }

const description = "Every value the token is bound to: those of a payment or those of a change, never some of both"

/** Accepts either kind. If the token requires the other one, the reply is 409 TOKEN_BINDING_MISMATCH. */
export const GbRepeatedBinding = closed(
  { ...gbCompany, ...buyer, ...Type.Partial(Type.Object({ ...payment, ...change })).properties },
  { description },
)
export const UsRepeatedBinding = closed(
  { ...usCompany, ...buyer, ...Type.Partial(Type.Object({ ...payment, ...usChange })).properties },
  { description },
)
