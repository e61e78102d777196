/** Repeats the screening of a delivered UK answer: every name of its company, and its number. */
import type { GbFacts } from "../../../schemas/gb/supplier-facts.ts"
import { screenedRoles } from "../../checks/gb/evidence.ts"
import type { Report } from "../../offline/report.ts"
import { rescreen } from "../common/rescreen.ts"
import { screenedNamesOf } from "./supplier-facts.ts"

/** Uses the thresholds in the facts. The policy replay checks whether they were correct. */
export function rescreenUkAnswer(
  report: Report,
  root: string,
  { company_number: number }: { readonly company_number: string },
  facts: Pick<GbFacts, "at" | "sources" | "screened_names">,
): void {
  const names = facts.screened_names
  const roles = screenedRoles(names)
  rescreen(report, root, {
    facts,
    screenings: names.map(({ screening }) => screening),
    parties: (index) =>
      screenedNamesOf(index, number, names).map((one, at) => ({ ...one, check: `screening of ${roles[at]}` })),
  })
  report.note("register", "the company is not looked up again")
}
