/** The second screening of a delivered decision: its supplier, and the wallets it was to be paid to. */
import type { DecisionFacts } from "../../../../schemas/us/decision-facts.ts"
import type { DecisionRequest } from "../../../../schemas/us/payment-decision.ts"
import { canonicalize } from "../../../core/canonical-json.ts"
import type { Report } from "../../../delivery/report.ts"
import type { NameIndex } from "../../../sources/screening/name-index.ts"
import { named } from "../registered-name.ts"
import { rescreenParty } from "../rescreen.ts"
import { supplierQuery, walletHits } from "../screening.ts"
import { decisionTolerance } from "./decide.ts"

/** Adds one line for each source, and where all of them are kept one for the name and one for the wallets. */
export function rescreen(report: Report, root: string, request: DecisionRequest, facts: DecisionFacts): void {
  const query = supplierQuery(named(request.supplier, facts.registration), decisionTolerance(request, facts))
  rescreenParty(report, root, query, facts, (index) => compareWallets(report, index, request, facts))
}

function compareWallets(report: Report, index: NameIndex, request: DecisionRequest, facts: DecisionFacts): void {
  const same = canonicalize(walletHits(index, request)) === canonicalize(facts.wallet_hits)
  report.check("wallets", same, "byte for byte", "screening the wallets again gives another result")
}
