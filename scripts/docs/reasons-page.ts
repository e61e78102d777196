import { ORIGIN_MEANINGS, originsOf } from "../../src/checks/policy/origins.ts"
import type { Policy } from "../../src/checks/policy/policy.ts"
import { PUBLISHED_POLICIES, type PublishedPolicy } from "../../src/products/published-policies.ts"
import { code, page, table } from "./markdown.ts"

/** The reasons of every policy in force, in order of precedence, and the effect of a failed source. */
export function reasonsPage(): string {
  return page(
    "Reasons",
    "Every policy in force, its reasons in their order of precedence. The strongest outcome decides. `bizauth policies ID` prints older versions too.",
    "The origin of a reason says what it depends on, and whether an answer with it is sold. A reason with several origins fires for one of them; a reason that stops no payment has none.",
    table(
      ["origin", "meaning"],
      Object.entries(ORIGIN_MEANINGS).map(([origin, meaning]) => [code(origin), meaning]),
    ),
    ...PUBLISHED_POLICIES.filter(({ isInForce }) => isInForce).map(section),
  )
}

function section({ document, product, price, outcomes, uncharged }: PublishedPolicy): string {
  const ends = Object.entries(outcomes).map(
    ([outcome, { decision, machineAction }]) => `${outcome}: ${code(decision)}, ${code(machineAction)}`,
  )
  const failed = uncharged.map(({ code: name, decision, remediation, why }) => [
    code(name),
    decision,
    code(remediation),
    why,
  ])
  return [
    `## ${document.id} ${document.version}`,
    `Product ${code(product)}, ${price} USDC. ${ends.join("; ")}.`,
    table(["reason", "gate", "outcome", "origin", "tolerance", "remediation", "why"], document.reasons.map(reasonRow)),
    ...(failed.length > 0
      ? ["Not charged, when a source cannot be used:", table(["reason", "decision", "remediation", "why"], failed)]
      : []),
  ].join("\n\n")
}

function reasonRow(row: Policy<unknown>["reasons"][number]) {
  const { code: name, gate, outcome, tolerances, remediation, why } = row
  const tolerance = tolerances.length === 3 ? "any" : tolerances.join(", ")
  return [code(name), gate, outcome, originsOf(row).join(", ") || "none", tolerance, code(remediation), why]
}
