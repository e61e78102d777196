import { EXIT } from "../../exit.ts"
import { owedAttempts } from "../../store/payments/attempt-watch.ts"
import { type Command, DATA_FLAG, JSON_FLAG } from "../command.ts"
import { openData } from "../inputs.ts"

export const command: Command = {
  name: "payments owed",
  summary: "list payments that arrived after their attempt was given up, and whose answers are not delivered yet",
  operands: "",
  flags: { ...DATA_FLAG, ...JSON_FLAG },
  async run(input) {
    const { store } = await openData(input)
    const owed = (await store.read(owedAttempts)).map(({ id, requestId, payer, value, settledTx, updatedAt }) => ({
      attempt_id: id,
      request_id: requestId,
      payer,
      amount_atomic: value,
      transaction: settledTx,
      since: updatedAt,
    }))
    await store.close()
    if (input.on("json")) input.out(`${JSON.stringify(owed)}\n`)
    else if (owed.length === 0) input.out("nothing owed\n")
    else for (const one of owed) input.out(`${one.since}  ${one.amount_atomic}  ${one.payer}  ${one.transaction}\n`)
    return EXIT.DONE
  },
}
