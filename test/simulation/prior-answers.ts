/** The payment to a UK company that each payer had authorized before the run. The changes of its payee name it. */
import type { PrivateKeyAccount } from "viem/accounts"
import { GB_PAYMENT_PRODUCT } from "../../schemas/gb/payment.ts"
import { DAY, formatInstant } from "../../src/core/time.ts"
import { enterAnswer } from "../fixtures/enter-answer.ts"
import { GB_NUMBER, GB_PAYEE } from "../fixtures/gb.ts"
import { PAYERS } from "./accounts.ts"

/** Its execution id. */
export const priorOf = ({ address }: Pick<PrivateKeyAccount, "address">): string => `exe_${address.slice(2, 24)}`

/** `start` in milliseconds. */
export async function enterPriorAnswers(to: Parameters<typeof enterAnswer>[0], start: number): Promise<void> {
  for (const payer of PAYERS) {
    await enterAnswer(to, {
      product: GB_PAYMENT_PRODUCT,
      executionId: priorOf(payer),
      subject: GB_NUMBER,
      payeeFingerprint: GB_PAYEE,
      owner: payer.address.toLowerCase(),
      decidedAt: formatInstant(start - DAY),
    })
  }
}
