/** Repeats the screening of US products. */
import type { WalletHits } from "../../../schemas/us/invoice-facts.ts"
import type { UsFacts } from "../../../schemas/us/operation-facts.ts"
import type { UsOperationRequest } from "../../../schemas/us/operation-request.ts"
import type { Tolerance } from "../../../schemas/us/payment-decision.ts"
import { canonicalize } from "../../core/canonical-json.ts"
import type { Report } from "../../offline/report.ts"
import type { NameIndex } from "../../sources/screening/name-index.ts"
import { rescreen } from "../common/rescreen.ts"
import { withoutEntries } from "../common/stored-entries.ts"
import type { SupplierIdentity } from "./registered-name.ts"
import { type PaidTo, screenedSupplier, walletHits } from "./screening.ts"

/** The facts that a repeated screening needs. */
type ScreenedFacts = Pick<UsFacts, "at" | "sources" | "screening" | "registration" | "recorded_supplier">

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
  const { payee, payment_destination } = request
  rescreenSupplier(report, root, { supplier: request.company, tolerance: null, facts }, (index) => {
    if (!payee || !payment_destination || !facts.wallet_hits) return
    rescreenWallets(report, index, { payee, payment_destination }, facts.wallet_hits)
  })
}

export function rescreenWallets(report: Report, index: NameIndex, paid: PaidTo, then: WalletHits): void {
  const { wallet_hits: hits } = withoutEntries({ wallet_hits: then })
  const same = canonicalize(walletHits(index, paid)) === canonicalize(hits)
  report.check("wallets", same, { ok: "byte for byte", invalid: "screening the wallets again gives another result" })
}

/** A screened supplier. `tolerance` null: each screening is repeated with the threshold in its facts. */
interface ScreenedSupplier {
  readonly supplier: SupplierIdentity
  readonly tolerance: Tolerance | null
  readonly facts: ScreenedFacts
}

/** Adds one line per list. If all of them are stored, adds one line for each screening. `more` checks the other queries. */
export function rescreenSupplier(
  report: Report,
  root: string,
  { supplier, tolerance, facts }: ScreenedSupplier,
  more: (index: NameIndex) => void = () => {},
): void {
  const { registration, recorded_supplier: recorded } = facts
  const parties = screenedSupplier(supplier, facts, tolerance).map((one, at) => ({ ...one, check: checkName(at) }))
  rescreen(report, root, {
    facts,
    screenings: parties.map((one) => one.screening),
    parties: () => parties,
    more: (index) => {
      if (registration ?? recorded?.registration) report.note("registration", "not looked up again")
      more(index)
    },
  })
}

/** The line of the report about the party at this place of {@link screenedSupplier}. */
function checkName(at: number): string {
  return ["screening", "screening of the recorded identifiers"][at] ?? "screening of a recorded name"
}
