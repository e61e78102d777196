import { CommandError, EXIT } from "../../base/exit.ts"
import { answerBundles } from "../../products/common/answer-bundles.ts"
import { exportBundle } from "../../products/common/export-bundle.ts"
import { ANSWER_RULES } from "../../products/products.ts"
import { decisionBundles } from "../../products/us/payment-decision/decision-bundles.ts"
import { paymentDecisionRules } from "../../products/us/payment-decision/replay-rules.ts"
import { type Command, DATA_FLAG } from "../command.ts"
import { openData } from "../inputs.ts"
import { writeNewFile } from "./write-output.ts"

export const command: Command = {
  name: "export",
  summary:
    "write a delivery or an answer with its request, facts and issuer keys as one file that verifies and replays elsewhere",
  operands: "ID",
  flags: {
    ...DATA_FLAG,
    out: { help: "new file (default standard output)", value: "FILE" },
  },
  examples: ["export dec_AAECAwQFBgcICQoLDA0ODw --data ./data --out ./bundle.json"],
  async run(input) {
    const [id = ""] = input.operands
    const { store } = await openData(input)
    let bundle: Uint8Array | null
    try {
      bundle = await exportBundle(store, id, [decisionBundles(paymentDecisionRules), answerBundles(ANSWER_RULES)])
    } finally {
      await store.close()
    }
    if (bundle === null) {
      throw new CommandError(
        EXIT.NOT_FOUND,
        "no acquired answer has this decision, execution, delivery or stored request id",
      )
    }
    const out = input.text("out")
    if (out === undefined) input.out(new TextDecoder().decode(bundle))
    else {
      writeNewFile(out, bundle)
      input.result({ exported: out }, `exported  ${out}\n`)
    }
    return EXIT.DONE
  },
}
