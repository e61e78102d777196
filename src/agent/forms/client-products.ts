import { Type } from "@sinclair/typebox"
import { PAYMENT_DECISION_PATH, PAYMENT_DECISION_PRODUCT } from "../../../schemas/us/payment-decision.ts"
import { ANSWER_RULES } from "../../products/products.ts"

/**
 * The members of an answer that a buyer acts on. Open: the whole schemas of all products are larger than the client module, and its
 * verification checks them.
 */
export const BUYERS_ANSWER = Type.Object({
  product_or_solution: Type.String(),
  decision: Type.String(),
  machine_action: Type.String(),
  reason_codes: Type.Array(Type.String()),
  economic_activity: Type.Object({ charged: Type.Boolean() }),
  replayed: Type.Boolean(),
  limitations: Type.Array(Type.String()),
  result: Type.Object({}),
})

/** What a buyer needs to call each product. */
export const CLIENT_PRODUCTS = [
  { id: PAYMENT_DECISION_PRODUCT, path: PAYMENT_DECISION_PATH, country: "US" as const },
  ...ANSWER_RULES.map(({ id, path, country }) => ({ id, path, country })),
]
