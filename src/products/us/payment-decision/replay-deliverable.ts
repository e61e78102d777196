/** Replays the decision inside the deliverable of an ACP job. The facts are in the bundle that the operator exports for the same decision. */

import { canonicalize } from "../../../core/canonical-json.ts"
import { deliverableFaults } from "../../../core/jobs/deliverable-faults.ts"
import { readDecisionDocument } from "../../../offline/kinds/decision-document.ts"
import { readDeliverable } from "../../../offline/kinds/job-deliverable.ts"
import { Report } from "../../../offline/report.ts"
import type { IssuerKeys } from "../../../offline/steps/issuer-keys.ts"
import { replayBundle } from "../../common/replay-bundle.ts"
import type { ReplayRules } from "./bundle.ts"
import { decisionBundles } from "./decision-bundles.ts"

/** A file may have any text as id; other text is not printed. */
const PLAIN_ID = /^[A-Za-z0-9_-]{1,64}$/

/** `bundle`: bytes of the exported bundle, or null if there is none. `keys` as in {@link replayBundle}. */
export function replayDeliverable(
  bytes: Uint8Array,
  bundle: Uint8Array | null,
  keys: IssuerKeys | null,
  rules: ReplayRules,
): Report {
  const report = new Report()
  const document = readDeliverable(bytes, report)
  if (!document) return report
  const { response } = document.deliverable
  if (bundle === null) {
    const id = PLAIN_ID.test(response.decision_id) ? response.decision_id : "ID"
    report.unchecked(
      "facts",
      `a deliverable does not contain its facts; replay needs the bundle of the operator: bizauth export ${id} --out FILE.bundle`,
    )
    return report
  }
  const [fault] = deliverableFaults(document.deliverable)
  report.check("deliverable", fault === undefined, {
    ok: "its members agree",
    invalid: `${fault?.code}: look at ${fault?.pointer}`,
  })
  const bundled = readDecisionDocument(bundle, new Report())
  const isSame = bundled !== null && canonicalize(bundled.delivery) === canonicalize(response)
  // A bundle that cannot be read is reported by its own replay.
  if (bundled)
    report.check("response", isSame, {
      ok: "byte for byte that of the bundle",
      invalid: "the bundle is of another response",
    })
  report.addAll(replayBundle(bundle, keys, decisionBundles(rules)))
  return report
}
