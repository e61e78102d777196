import { HOLDING_PROVES_NO_PURCHASE } from "../../agent-mode/wallet/opened-artifact.ts"

/** The line that says in words what a wallet does not prove, if the answer of the service states that limitation; else nothing. */
export function purchaseNote(limitations: readonly string[]): string {
  if (!limitations.includes(HOLDING_PROVES_NO_PURCHASE)) return ""
  return `Holding an answer does not prove who bought it: anyone with a copy can import it (${HOLDING_PROVES_NO_PURCHASE}).\n`
}
