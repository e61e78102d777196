import { confirmSuppression } from "../../store/sources/suppressions.ts"
import type { Command } from "../command.ts"
import { confirmCommand } from "../confirm-right.ts"

export const command: Command = confirmCommand({
  name: "suppressions confirm",
  summary: "this judgement was not revoked since the backup, so it counts again",
  operands: "ID",
  examples: [
    'suppressions confirm sup_AAECAwQFBgcICQoLDA0ODw --data ./restored --reason "the register of judgements of 3 November" --author "R. Reviewer"',
  ],
  confirm: ([id = ""], confirming) => confirmSuppression(id, confirming),
  faults: { UNKNOWN: ([id]) => `no suppression ${id}` },
  listedBy: "suppressions list --all",
  json: ([suppression]) => ({ suppression, state: "IN_FORCE" }),
})
