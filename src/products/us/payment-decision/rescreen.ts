/** Repeats the screening of a delivered decision: its supplier, and the wallets of the payment. */
import type { DecisionFacts } from "../../../../schemas/us/decision-facts.ts"
import type { DecisionRequest } from "../../../../schemas/us/payment-decision.ts"
import type { Report } from "../../../offline/report.ts"
import { rescreenSupplier, rescreenWallets } from "../rescreen.ts"
import { decisionTolerance } from "./decide.ts"

/** Adds one line per source. If `root` has all of them, adds one line for the name and one for the wallets. */
export function rescreen(report: Report, root: string, request: DecisionRequest, facts: DecisionFacts): void {
  const tolerance = decisionTolerance(request, facts)
  rescreenSupplier(report, root, { supplier: request.supplier, tolerance, facts }, (index) =>
    rescreenWallets(report, index, request, facts.wallet_hits),
  )
}
