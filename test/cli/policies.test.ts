import { describe, expect, test } from "bun:test"
import { PAYMENT_AUTHORIZATION_PRODUCT } from "../../schemas/us/payment-authorization.ts"
import { PAYMENT_DECISION_PRODUCT } from "../../schemas/us/payment-decision.ts"
import { EXIT } from "../../src/base/exit.ts"
import { catalogue } from "../../src/base/refusals.ts"
import { command } from "../../src/cli/policies.ts"
import { digestOf } from "../../src/core/digest.ts"
import { PUBLISHED_POLICIES } from "../../src/products/published-policies.ts"
import { AUTHORIZATION_USED } from "../../src/products/us/payment-authorization/policy.ts"
import { runCommand } from "../fixtures/terminal.ts"

const policies = (...argv: string[]) => runCommand(command, argv)

test("without an id the command prints one line per policy, with product and price", async () => {
  const { exit, out } = await policies()
  expect(exit).toBe(EXIT.DONE)
  for (const { document, product, price } of PUBLISHED_POLICIES) {
    const line = out.split("\n").find((one) => one.startsWith(`${document.id} ${document.version}`))
    expect(line).toContain(product)
    expect(line).toContain(`${price} USDC`)
  }
})

describe.each(PUBLISHED_POLICIES.map((policy) => [policy.document.id, policy] as const))("%s", (id, policy) => {
  test("prints every reason with gate, outcome, tolerance, meaning and action, in order of precedence", async () => {
    const { exit, out } = await policies(id)
    expect(exit).toBe(EXIT.DONE)
    expect((await policies(policy.product)).out).toBe(out)
    let from = 0
    for (const { code, gate, outcome, tolerances, why, remediation } of policy.document.reasons) {
      const at = tolerances.length === 3 ? "any tolerance" : `tolerance ${tolerances.join(" or ")}`
      const found = out.indexOf(`\n${code}\n  gate   ${gate}, ${outcome} at ${at}: `, from)
      expect([code, found >= from]).toEqual([code, true])
      const rows = out.slice(found + 1).split("\n")
      expect(rows.slice(2, 4)).toEqual([`  means  ${why}`, `  do     ${remediation === "" ? "nothing" : remediation}`])
      from = found + 1
    }
    for (const { code, decision, why, remediation } of policy.uncharged) {
      const row = `\n${code}\n  gate   none runs: ${decision}, not charged\n  means  ${why}\n  do     ${remediation}\n`
      expect(out.slice(from)).toContain(row)
    }
  })

  test("prints with --json the document that answers name: its checksum recomputes", async () => {
    const { out } = await policies(id, "--json")
    const { version, policies: printed } = JSON.parse(out)
    expect(version).toBe(1)
    const [inForce] = printed
    expect(inForce).toMatchObject({ product: policy.product, in_force: true, price: { asset: "USDC" } })
    expect(digestOf(inForce.policy)).toBe(inForce.checksum)
    expect(inForce.outcomes.BLOCK.decision).toBe("BLOCK")
    expect(out.trimEnd()).not.toContain("\n")
  })
})

test("the printed action of a reason equals the action in an answer with that reason", async () => {
  const { out } = await policies("US_COMPANY_CHECK_V1")
  expect(out).toContain("RESTRICTED_PARTY, HOLD at any tolerance: leads to REVIEW, HOLD_FOR_HUMAN_REVIEW\n")
  const decision = (await policies("decision-gate.release-payment-to-supplier.v1")).out
  expect(decision).toContain("HOLD at any tolerance: leads to HOLD, HOLD_PAYMENT\n")
  expect(decision).toContain("rejected with 503")
})

test("a product that is not sold twice while its answer is valid says so, with both codes and the action; other products do not", async () => {
  for (const { document, product } of PUBLISHED_POLICIES) {
    const { out } = await policies(document.id)
    const isSoldOnce = [PAYMENT_DECISION_PRODUCT, PAYMENT_AUTHORIZATION_PRODUCT].includes(product)
    for (const code of ["REUSABLE_DECISION_EXISTS", "OBLIGATION_ALREADY_AUTHORIZED"] as const) {
      const { title, next } = catalogue[code]
      const row = `${code}\n  gate   none runs: rejected with 409, not charged\n  means  ${title}\n  do     ${next}\n`
      expect([product, out.includes(row)]).toEqual([product, isSoldOnce])
    }
    expect([product, out.includes(`  with   ${AUTHORIZATION_USED}: `)]).toEqual([
      product,
      product === PAYMENT_AUTHORIZATION_PRODUCT,
    ])
  }
})

test("an unknown id exits with 5 and names the closest one, in any letter case", async () => {
  for (const [typed, like] of [
    ["us_company_chek_v1", "US_COMPANY_CHECK_V1"],
    ["US.COMPANY.CHECK.V2", "us.company.check.v1"],
  ] as const) {
    const { exit, err, out } = await policies(typed)
    expect([exit, err, out]).toEqual([EXIT.NOT_FOUND, `no policy ${typed}; did you mean ${like}?`, ""])
  }
})

test("the JSON list has every policy", async () => {
  const { out } = await policies("--json")
  const printed = JSON.parse(out).policies as { policy: { id: string } }[]
  expect(printed.map(({ policy }) => policy.id)).toEqual(PUBLISHED_POLICIES.map(({ document }) => document.id))
})
