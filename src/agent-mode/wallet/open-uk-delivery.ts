/** A paid UK answer with its capsule. The token is never kept, so whoever reads the wallet cannot spend it. */
import type { UkDelivery } from "../../../schemas/agent-mode/wallet-artifact.ts"
import { canonicalBytes } from "../../core/canonical-json.ts"
import { coreOfAnswer } from "../../core/capsule/answer-view.ts"
import { NATIVE_CRYPTO } from "../../core/crypto/native-crypto.ts"
import { digestOf } from "../../core/digest.ts"
import { verifyAnswer } from "../../offline/kinds/answer.ts"
import { digestsOf, openAnswerCapsule } from "./open-capsule.ts"
import type { OpenedArtifact, WalletIssuer } from "./opened-artifact.ts"
import { failedCheck, issuerKeysOf } from "./signed-document.ts"

const TOKEN_NOT_KEPT = "TOKEN_NOT_KEPT"

export function openUkDelivery(
  { answer, capsule }: UkDelivery,
  { answerRules }: Pick<WalletIssuer, "answerRules">,
): OpenedArtifact {
  const opened = openAnswerCapsule(capsule)
  const { result } = answer
  const token = "authorization_token" in result ? result.authorization_token : ""
  const rules = answerRules.find(({ id }) => id === answer.product_or_solution)
  return {
    ...opened,
    digest: digestOf(coreOfAnswer(answer)),
    subjectDigests: { ...opened.subjectDigests, ...digestsOf(rules?.subject?.(result) ?? {}) },
    limitations: token !== "" ? [TOKEN_NOT_KEPT] : [],
    rejected: answer.economic_activity.charged ? null : "NOT_CHARGED",
    stored: { answer: { ...answer, result: { ...result, ...(token !== "" && { authorization_token: "" }) } }, capsule },
    check: ({ key, at }) => {
      if (!isAsCharged(answer)) return "PAYMENT"
      const input = { bytes: canonicalBytes(answer), capsule: canonicalBytes(capsule), keys: issuerKeysOf(key), at }
      return failedCheck(verifyAnswer({ ...input, crypto: NATIVE_CRYPTO, reformatted: false }, answerRules).report)
    },
  }
}

const NETWORK = /^eip155:[0-9]{1,20}$/

/** The capsule does not cover these members, so they must be what the service writes in a charged answer. */
function isAsCharged({ economic_activity: activity, payment }: UkDelivery["answer"]): boolean {
  return (
    activity.quote_created &&
    activity.settlement_created &&
    payment.payment_status === "SETTLED" &&
    payment.persistence_status === "PERSISTED" &&
    NETWORK.test(payment.network)
  )
}
