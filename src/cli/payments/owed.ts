import { EXIT } from "../../base/exit.ts"
import { owedAttempts } from "../../store/payments/attempt-watch.ts"
import { lostTransfers } from "../../store/payments/lost-transfers.ts"
import { type Restore, restores } from "../../store/restores.ts"
import { type Command, DATA_FLAG, JSON_FLAG } from "../command.ts"
import { openData } from "../inputs.ts"

export const command: Command = {
  name: "payments owed",
  summary: "list payments that arrived after their attempt was given up, and whose answers are not delivered yet",
  operands: "",
  flags: { ...DATA_FLAG, ...JSON_FLAG },
  examples: ["payments owed --data ./data"],
  async run(input) {
    const { store } = await openData(input)
    const owed = (await store.read(owedAttempts)).map((one) => ({
      attempt_id: one.id,
      request_id: one.requestId,
      payer: one.payer,
      amount_atomic: one.value,
      transaction: one.settledTx,
      since: one.updatedAt,
      request_answered: one.isRefund,
    }))
    const { lost, gaps } = await store.read(function* () {
      return {
        lost: yield* lostTransfers(),
        gaps: (yield* restores()).filter((one) => one.newest_declared_at === null),
      }
    })
    await store.close()
    input.result(
      {
        owed,
        lost_transfers: lost.map((one) => ({
          payer: one.payer,
          amount_atomic: one.value,
          transaction: one.txHash,
          log_index: one.logIndex,
          authorization_nonce: one.nonce,
          block_at: one.blockAt,
        })),
        unknown_since: gaps.map(({ backup_at, restored_at }) => ({ from: backup_at, to: restored_at })),
      },
      owed.length + lost.length + gaps.length === 0
        ? "nothing owed\n"
        : [
            ...owed.map(
              (one) =>
                `${one.since}  ${one.amount_atomic}  ${one.payer}  ${one.transaction}  ${OWED[one.request_answered ? "refund" : "waits"]}\n`,
            ),
            ...lost.map(
              (one) =>
                `${one.blockAt}  ${one.value}  ${one.payer}  ${one.txHash}  ${LOST[one.nonce ? "sale" : "plain"]}\n`,
            ),
            ...gaps.map(unknownGap),
          ].join(""),
    )
    return EXIT.DONE
  },
}

const OWED = {
  waits: "waits for its answer",
  refund: "its request has an answer that this payment did not buy: refund it",
}

const LOST = {
  sale: "paid for an answer that this database does not know: the buyer has it, or you refund the payment",
  plain: "a plain transfer in the lost hours: not a payment for an answer",
}

function unknownGap({ backup_at, restored_at }: Restore): string {
  return `from ${backup_at} to ${restored_at}: what was decided and authorized is unknown. A buyer may hold an approval from then.\n`
}
