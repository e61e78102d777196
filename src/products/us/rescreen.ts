/** The second screening of what the US products were asked about. */
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

/** Of the facts, what screening again needs. */
export type ScreenedFacts = Pick<UsFacts, "at" | "sources" | "screening" | "registration">

/**
 * An operation's company, and the wallets of one that names them. The threshold is the one the facts state; whether it was the right one
 * is the policy's matter.
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

/** One line for each list, and where all of them are kept one for the party; `more` looks at what else they were asked for. */
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
