import { NATIVE_CRYPTO } from "../../core/crypto/native-crypto.ts"
import type { Known } from "../../offline/given/verify-inputs.ts"
import { ANSWER_RULES } from "../../products/products.ts"
import { paymentDecisionRules } from "../../products/us/payment-decision/replay-rules.ts"

/** What this program knows of the documents that it verifies. */
export const KNOWN: Known = { crypto: NATIVE_CRYPTO, answers: ANSWER_RULES, decision: paymentDecisionRules }
