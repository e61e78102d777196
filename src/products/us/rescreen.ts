/** The second screening of what the US products were asked about. */
import type { UsFacts } from "../../../schemas/us/operation-facts.ts"
import type { UsOperationRequest } from "../../../schemas/us/operation-request.ts"
import { rescreen } from "../../answers/rescreen.ts"
import type { Report } from "../../delivery/report.ts"
import type { NameIndex } from "../../sources/screening/name-index.ts"
import type { ScreenQuery } from "../../sources/screening/screen.ts"
import { named } from "./registered-name.ts"
import { supplierQuery } from "./screening.ts"

/** Of the facts, what screening again needs. */
export type ScreenedFacts = Pick<UsFacts, "at" | "sources" | "screening" | "registration">

/** An operation's company. The threshold is the one the facts state; whether it was the right one is the policy's matter. */
export function rescreenOperation(
  report: Report,
  root: string,
  { company }: Pick<UsOperationRequest, "company">,
  facts: ScreenedFacts,
): void {
  const query = supplierQuery(named(company, facts.registration), "MEDIUM")
  rescreenParty(report, root, { ...query, threshold: facts.screening.threshold }, facts)
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
