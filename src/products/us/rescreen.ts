/** Repeats the screening of US products. */
import type { WalletHits } from "../../../schemas/us/invoice-facts.ts"
import type { UsFacts } from "../../../schemas/us/operation-facts.ts"
import type { UsOperationRequest } from "../../../schemas/us/operation-request.ts"
import { rescreen } from "../../business-answers/rescreen.ts"
import { canonicalize } from "../../core/canonical-json.ts"
import type { Report } from "../../documents/report.ts"
import type { NameIndex } from "../../sources/screening/name-index.ts"
import type { ScreenQuery } from "../../sources/screening/screen.ts"
import { named } from "./registered-name.ts"
import { type PaidTo, supplierQuery, walletHits } from "./screening.ts"

/** The facts that a repeated screening needs. */
export type ScreenedFacts = Pick<UsFacts, "at" | "sources" | "screening" | "registration">

/**
 * Repeats the screening of an operation's company, and of its wallets if it names any. Uses the threshold in the facts; the policy replay
 * checks whether it was correct.
 */
export function rescreenOperation(
  report: Report,
  root: string,
  request: Pick<UsOperationRequest, "company"> & Partial<PaidTo>,
  facts: ScreenedFacts & { readonly wallet_hits?: WalletHits },
): void {
  const query = supplierQuery(named(request.company, facts.registration), "MEDIUM")
  const { payee, payment_destination } = request
  rescreenParty(report, root, { ...query, threshold: facts.screening.threshold }, facts, (index) => {
    if (!payee || !payment_destination || !facts.wallet_hits) return
    rescreenWallets(report, index, { payee, payment_destination }, facts.wallet_hits)
  })
}

export function rescreenWallets(report: Report, index: NameIndex, paid: PaidTo, then: WalletHits): void {
  const same = canonicalize(walletHits(index, paid)) === canonicalize(then)
  report.check("wallets", same, "byte for byte", "screening the wallets again gives another result")
}

/** Adds one line per list. If all of them are stored, adds one line for the party. `more` checks the other queries. */
export function rescreenParty(
  report: Report,
  root: string,
  query: ScreenQuery,
  facts: ScreenedFacts,
  more: (index: NameIndex) => void = () => {},
): void {
  const { screening, registration } = facts
  rescreen(report, root, {
    facts,
    screenings: [screening],
    parties: () => [{ check: "screening", query, screening }],
    more: (index) => {
      if (registration !== null) report.note("registration", "not looked up again")
      more(index)
    },
  })
}
