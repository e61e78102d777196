import { CommandError, EXIT } from "../base/exit.ts"
import { catalogue } from "../base/refusals.ts"
import type { UnchargedReason } from "../checks/policy/answer-policy.ts"
import { DECISION_GATE, type PolicyReason } from "../checks/policy/policy.ts"
import { policyChecksum } from "../checks/policy/policy-checksum.ts"
import { canonicalize } from "../core/canonical-json.ts"
import { guess } from "../core/nearest.ts"
import { countInWords } from "../core/text/count-in-words.ts"
import { PRODUCTS } from "../products/products.ts"
import { PUBLISHED_POLICIES, type PublishedPolicy } from "../products/published-policies.ts"
import { type Command, JSON_FLAG } from "./command.ts"
import { tableLines } from "./rows.ts"

/** Offline and without a data directory: policies are part of the program. */
export const command: Command = {
  name: "policies",
  summary: `list the policies of the ${countInWords(PRODUCTS.length)} products, or print one: each reason, what it means and what to do`,
  operands: "[ID]",
  flags: { ...JSON_FLAG },
  examples: ["policies"],
  run: async (input) => {
    const [id] = input.operands
    const chosen = id === undefined ? PUBLISHED_POLICIES : named(id)
    if (input.on("json")) input.out(`${canonicalize({ version: 1, policies: chosen.map(asJson) })}\n`)
    else input.out(id === undefined ? listed(chosen) : chosen.map(printed).join("\n"))
    return EXIT.DONE
  },
}

/** Returns every version of a policy, by policy id or product id. */
function named(id: string): readonly PublishedPolicy[] {
  const found = PUBLISHED_POLICIES.filter(({ product, document }) => id === document.id || id === product)
  if (found.length > 0) return found
  const known = PUBLISHED_POLICIES.flatMap(({ product, document }) => [document.id, product])
  // Ids are upper case and products lower case, so compare without case.
  const guessed = guess(
    id.toUpperCase(),
    known.map((one) => one.toUpperCase()),
    (word) => known.find((one) => one.toUpperCase() === word) ?? word,
  )
  throw new CommandError(EXIT.NOT_FOUND, `no policy ${id}${guessed || "; bizauth policies lists them"}`)
}

/** `checksum` = digest(C14N(policy)). */
function asJson({ product, price, document, isInForce, outcomes, refusals, refusalReasons }: PublishedPolicy) {
  return {
    product,
    price: { amount: price, asset: "USDC" },
    in_force: isInForce,
    checksum: policyChecksum(document),
    outcomes: Object.fromEntries(
      Object.entries(outcomes).map(([outcome, { decision, machineAction }]) => [
        outcome,
        { decision, machine_action: machineAction },
      ]),
    ),
    refusals,
    refusal_reasons: refusalReasons,
    policy: document,
  }
}

function listed(policies: readonly PublishedPolicy[]): string {
  const rows = policies.map(({ document: { id, version, reasons }, product, price, isInForce }) => [
    `${id} ${version}${isInForce ? "" : " (no longer in force)"}`,
    `${new Set(reasons.map(({ code }) => code)).size} reasons`,
    `${price} USDC`,
    product,
  ])
  return `${tableLines(rows).join("\n")}\n\nbizauth policies ID prints each reason with what it means and what to do.\n`
}

function printed(policy: PublishedPolicy): string {
  const { document, product, price, isInForce, uncharged } = policy
  const reasons = document.reasons.map((reason) => printedReason(reason, policy)).join("\n")
  const failed = uncharged.length === 0 ? FAILED_SOURCE : uncharged.map(printedUncharged).join("\n")
  return `${document.id} ${document.version}, ${isInForce ? "in force" : "no longer in force; kept for the answers that name it"}
product     ${product}, ${price} USDC
checksum    ${policyChecksum(document)}
thresholds  ${canonicalize(document.thresholds)}

Reasons, in their order of precedence

${reasons}
A required source fails

${failed}${printedRefusals(policy)}`
}

/** Empty if a repeat is a new purchase. */
function printedRefusals({ refusals, refusalReasons }: PublishedPolicy): string {
  if (refusals.length === 0) return ""
  const rows = refusals.map((code) => {
    const { status, title, next } = catalogue[code]
    return `${code}
  gate   none runs: rejected with ${status}, not charged
  means  ${title}
  do     ${next}
${refusalReasons
  .filter(({ refusal }) => refusal === code)
  .map((reason) => `  with   ${reason.code}: ${reason.why}\n`)
  .join("")}`
  })
  return `\nAn earlier answer about the obligation is valid\n\n${rows.join("\n")}`
}

const FAILED_SOURCE =
  "The request is rejected with 503 SOURCE_…, before a quote and again before settlement. Not charged.\n"

function printedReason({ code, gate, outcome, tolerances, why, remediation }: PolicyReason, policy: PublishedPolicy) {
  const at = tolerances.length === 3 ? "any tolerance" : `tolerance ${tolerances.join(" or ")}`
  const { decision, machineAction } = policy.outcomes[outcome]
  const leads =
    outcome === "PASS" && gate !== DECISION_GATE
      ? "has no effect on the decision"
      : `leads to ${decision}, ${machineAction}`
  return `${code}
  gate   ${gate}, ${outcome} at ${at}: ${leads}
  means  ${why}
  do     ${remediation === "" ? "nothing" : remediation}
`
}

function printedUncharged({ code, decision, why, remediation }: UnchargedReason): string {
  return `${code}
  gate   none runs: ${decision}, not charged
  means  ${why}
  do     ${remediation}
`
}
