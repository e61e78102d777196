/** A person judges the hits of an answer that was sold: the judgement names exactly the party of the next answer. */
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test"
import { readFileSync, rmSync } from "node:fs"
import { userInfo } from "node:os"
import { join } from "node:path"
import type { AnswerBundle } from "../../../schemas/answer-bundle.ts"
import type { CompanyCheckFacts } from "../../../schemas/us/company-check.ts"
import { BLOCK_REMAINS_A_HOLD } from "../../../src/case/hits.ts"
import { command as showDocument } from "../../../src/cli/documents/show.ts"
import { command as add } from "../../../src/cli/suppressions/add.ts"
import { command as list } from "../../../src/cli/suppressions/list.ts"
import { command as revoke } from "../../../src/cli/suppressions/revoke.ts"
import { formatInstant } from "../../../src/core/time.ts"
import { gbPaymentRules } from "../../../src/products/gb/payment/rules.ts"
import { companyCheckRules } from "../../../src/products/us/company-check/rules.ts"
import { addRestore } from "../../../src/store/restores.ts"
import { findDeliveryByAnyId } from "../../../src/store/sales/deliveries.ts"
import { buyAnswer, usBody } from "../../fixtures/answers.ts"
import { destination } from "../../fixtures/decision.ts"
import { GB_NUMBER, gbCompany, gbHeaders, gbPaymentBody, gbSources } from "../../fixtures/gb.ts"
import { JUDGED, type JudgingOperator, openJudgingOperator } from "../../fixtures/judging-operator.ts"
import { leiFrom } from "../../fixtures/lei.ts"
import type { SampleEntry } from "../../fixtures/sample-parties.ts"
import { LISTED_WALLET } from "../../fixtures/sample-parties.ts"
import { runCommand } from "../../fixtures/terminal.ts"
import { freshRequest, signedHeader } from "../../fixtures/test-server.ts"

setDefaultTimeout(120_000)

const CROWD = Array.from({ length: 60 }, (_, n): SampleEntry => {
  return { number: 90300 + n, name: "TEAL GANNET FORWARDING LLC", programs: ["SDGT"] }
})
const CHANGING: SampleEntry = {
  number: 90200,
  name: "OSPREY LEDGER FREIGHT LLC",
  programs: ["SDGT"],
  remarks: "first.",
}
const PLAIN: SampleEntry = { number: 90201, name: "PUFFIN QUAYSIDE BROKERS LLC", programs: ["SDGT"], remarks: "first." }

let at: JudgingOperator
beforeAll(async () => {
  const companies = [
    gbCompany({
      company_name: "AMBER KETTLE LIMITED",
      previous_company_names: [
        { name: "GRANITE FJORD", ceased_on: "2020-01-01" },
        { name: "海上運輸 LIMITED", ceased_on: "2019-01-01" },
      ],
    }),
  ]
  at = await openJudgingOperator({ gb: gbSources({ companies }), lists: { extraSdn: [CHANGING, PLAIN, ...CROWD] } })
})
afterAll(() => at.close())

interface Bundle extends AnswerBundle {
  readonly facts: CompanyCheckFacts
}
const bundleAt = (path: string) => JSON.parse(readFileSync(path, "utf8")) as Bundle

let serial = 0
/** A company with identifiers that no other has. */
function company(name: string, more: Readonly<Record<string, string>> = {}) {
  return { legal_name: name, identifiers: { uei: `SUPPLYER${String(++serial).padStart(4, "A")}`, ...more } }
}
type Company = ReturnType<typeof company>

async function check(asked: Company) {
  const { status, text, answer } = await buyAnswer(at.server, {
    path: companyCheckRules.path,
    body: usBody({ company: asked }),
  })
  if (status !== 200) throw new Error(`${status} ${text}`)
  return answer
}
const judge = (...args: string[]) => at.run(add, ...args)
const idsIn = (out: string) => [...out.matchAll(/^added {2}(sup_[\w-]{22})/gm)].map(([, id]) => id)
const listed = async () => (await at.run(list)).out

describe("a hit of an answer", () => {
  test("is judged by the answer's id: the same question is cleared, and the list counts what it changed", async () => {
    const asked = company("Vostok Meridian LLC", { lei: leiFrom("5493001KJTIIGC8Y1R") })
    const held = await check(asked)
    expect(held.decision).toBe("REVIEW")
    const ran = await judge("--answer", held.execution_id, "--hit", "1", ...JUDGED)
    expect([ran.exit, ran.err]).toEqual([0, ""])
    const [id = ""] = idsIn(ran.out)
    // What it lifts is printed before what was recorded.
    expect(ran.out.indexOf("  not lifted:\n")).toBeGreaterThan(ran.out.indexOf("  lifted:\n"))
    expect(ran.out.indexOf(`added  ${id}  US_OFAC_SDN 90001`)).toBeGreaterThan(ran.out.indexOf("  not lifted:\n"))
    expect(ran.out).toContain('    in other letters: "VOSTOK MERIDIAN LLC" org lei:')
    await at.reload()
    const again = await check(asked)
    expect([again.decision, again.limitations]).toEqual([
      "APPROVE",
      expect.arrayContaining(["OPERATOR_SUPPRESSION_APPLIED"]),
    ])
    const shown = await listed()
    expect(shown).toMatch(new RegExp(`^IN_FORCE {2}${id} `, "m"))
    expect(shown).toContain(`by ${userInfo().username}: another owner`)
    const delivery = await at.store.read(() => findDeliveryByAnyId(again.execution_id))
    expect(shown).toMatch(
      new RegExp(`changed 1 delivered answers, the last at \\S+, of request ${delivery?.requestId}\\n`),
    )
    const twice = await judge("--answer", held.execution_id, "--hit", "1", ...JUDGED)
    expect([twice.exit, twice.err]).toEqual([3, expect.stringContaining(`${id} already says so`)])
  })

  test("is judged from the bundle; another hit of the same answer stays", async () => {
    // The buyer's records know a second identifier, so the supplier is screened twice.
    const lei = leiFrom("SECOND")
    const first = company("Harbor Light Instruments LLC", { lei })
    await check(first)
    const asked = { legal_name: "Vostok Meridian LLC", identifiers: { uei: first.identifiers.uei } }
    const held = await check(asked as Company)
    const path = await at.exported(held.execution_id)
    const { facts } = bundleAt(path)
    const screenings = [facts.screening, facts.recorded_supplier?.screening]
    expect(screenings.map((one) => one?.hits.length)).toEqual([1, 1])
    const one = await judge("--answer", path, "--hit", "1", ...JUDGED, "--json")
    expect([one.exit, one.err]).toEqual([0, ""])
    expect(JSON.parse(one.out).suppressions).toMatchObject([
      { party: { identifiers: [{ scheme: "uei" }] }, neighbours: { length: 12 } },
    ])
    const both = await judge("--answer", path, "--hit", "1,2", ...JUDGED)
    expect(both.out).toMatch(/^not added again {2}sup_\S+ {2}US_OFAC_SDN 90001 is judged already\nadded {2}sup_/m)
    await at.reload()
    expect((await check(asked as Company)).decision).toBe("APPROVE")
  })

  test("of a Payment Decision is judged by the decision's id", async () => {
    const { legal_name, identifiers } = company("Vostok Meridian LLC")
    const buy = async () => {
      const request = freshRequest({ request: { supplier: { entity_id: "supplier:x", legal_name, identifiers } } })
      const response = await at.server.post(request, await signedHeader(at.server, request))
      return (await response.json()) as { decision: string; decision_id: string; reason_codes: string[] }
    }
    const held = await buy()
    expect(held.reason_codes).toContain("RESTRICTED_PARTY_POSSIBLE_MATCH")
    expect((await judge("--answer", held.decision_id, "--hit", "1", ...JUDGED)).exit).toBe(0)
    await at.reload()
    expect((await buy()).reason_codes).not.toContain("RESTRICTED_PARTY_POSSIBLE_MATCH")
  })

  test("that would block stays a hold, and command and case say that nothing here turns it into a payment", async () => {
    const asked = company("Vostok Meridian Trading LLC")
    const blocked = await check(asked)
    expect(blocked.decision).toBe("BLOCK")
    const ran = await judge("--answer", blocked.execution_id, "--hit", "1", ...JUDGED)
    expect(ran.out.trimEnd().split("\n").at(-1)).toBe(BLOCK_REMAINS_A_HOLD)
    await at.reload()
    const held = await check(asked)
    expect([held.decision, held.machine_action]).toEqual(["REVIEW", "HOLD_FOR_HUMAN_REVIEW"])
    const shown = await runCommand(showDocument, [await at.exported(held.execution_id)])
    expect(shown.out.replace(/\s+/g, " ")).toContain(BLOCK_REMAINS_A_HOLD)
  })
})

const exitOf = async (...args: string[]) => {
  const before = await listed()
  const { exit, err } = await judge(...args)
  expect(await listed()).toBe(before)
  return [exit, err] as const
}

test("flags that do not belong together, and hits that are not there, are refused", async () => {
  const { execution_id: id } = await check(company("Vostok Meridian LLC"))
  expect(await exitOf("--answer", id, ...JUDGED)).toEqual([2, "--hit is needed with --answer: the answer has hit 1"])
  expect(await exitOf("--answer", id, "--hit", "0", ...JUDGED)).toEqual([2, expect.stringContaining("a number from 1")])
  expect(await exitOf("--answer", id, "--hit", "2", ...JUDGED)).toEqual([
    5,
    "the answer has no hit 2: the answer has hit 1",
  ])
  expect(await exitOf("--answer", id, "--hit", "1", "--name", "X", ...JUDGED)).toEqual([
    2,
    "--name does not go with --answer: the answer states party and entry",
  ])
  expect(await exitOf("--hit", "1", "--name", "X", "--author", "A", ...JUDGED)).toEqual([2, "--hit goes with --answer"])
  expect(await exitOf("--answer", id, "--hit", "1", "--reason", "x", ...JUDGED)).toEqual([
    2,
    "--because and --reason are the same; give one",
  ])
  expect(await exitOf("--answer", id, "--answer", id, "--hit", "1", ...JUDGED)).toEqual([
    2,
    "--answer is given twice; give it once",
  ])
  const unknown = "exe_AAAAAAAAAAAAAAAAAAAAAA"
  expect(await exitOf("--answer", unknown, "--hit", "1", ...JUDGED)).toEqual([5, expect.stringContaining(unknown)])
  const clear = await check(company("Harbor Light Instruments LLC"))
  expect(await exitOf("--answer", clear.execution_id, "--hit", "1", ...JUDGED)).toEqual([
    5,
    "this answer has no hit, so there is nothing to judge",
  ])
})

const IDENTIFIER_REFUSED =
  "this party carries an identifier of that entry: such a hit cannot be suppressed, because an equal identifier is a fact and not a similarity; if the identifier is wrong, have the buyer correct it with the supplier and ask again, otherwise do not pay"

test("an equal identifier and a listed wallet are never judged", async () => {
  const equal = await check(company("Bramblewick Plumbing LLC", { cage: "0ZZ01" }))
  expect(await exitOf("--answer", equal.execution_id, "--hit", "1", ...JUDGED)).toEqual([
    3,
    `hit 1: ${IDENTIFIER_REFUSED}`,
  ])
  const paid = destination(LISTED_WALLET)
  const { legal_name, identifiers } = company("Harbor Light Instruments LLC")
  const request = freshRequest({
    request: { supplier: { entity_id: "supplier:w", legal_name, identifiers }, payee: paid, payment_destination: paid },
  })
  const answer = await at.server.post(request, await signedHeader(at.server, request))
  const { decision_id: id } = (await answer.json()) as { decision_id: string }
  expect(await exitOf("--answer", id, "--hit", "2", ...JUDGED)).toEqual([
    3,
    "hit 2: a listed wallet cannot be suppressed: the money would go to a listed party; if the address is wrong, have the buyer correct it with the supplier and ask again, otherwise do not pay",
  ])
})

test("nobody judges an answer with more hits than it keeps, or with a name that cannot be read", async () => {
  const crowd = await check(company("Teal Gannet Forwarding LLC"))
  expect(await exitOf("--answer", crowd.execution_id, "--hit", "1", ...JUDGED)).toEqual([
    3,
    "10 further hits are not in the facts, so nobody can judge them one by one. Ask again with the registered name and an identifier, so that fewer entries are near.",
  ])
  const body = gbPaymentBody({
    company_number: GB_NUMBER,
    invoice: { company_number: GB_NUMBER, invoice_company_name: "AMBER KETTLE LIMITED" },
  })
  const uk = await buyAnswer(at.server, { path: gbPaymentRules.path, body, headers: gbHeaders(body) })
  expect(uk.answer.decision).toBe("REVIEW")
  expect(await exitOf("--answer", uk.answer.execution_id, "--hit", "1", ...JUDGED)).toEqual([
    3,
    expect.stringMatching(
      /^The program could not screen a name that a register or the buyer's records state .* No new request changes that name/,
    ),
  ])
})

describe("a listed entry", () => {
  const reworded = (remarks: string) => ({ ...PLAIN, remarks })

  test("that changed since the answer is refused with the difference, and that only prints otherwise is not", async () => {
    const changing = await check(company("Osprey Ledger LLC"))
    const plain = await check(company("Puffin Quayside LLC"))
    const changed = {
      ...CHANGING,
      programs: ["SDGT", "IRAN"],
      aliases: [{ kind: "aka" as const, name: "OSPREY LINE" }],
    }
    await at.bring(["US_OFAC_SDN"], { extraSdn: [changed, reworded("second."), ...CROWD] })
    const [exit, err] = await exitOf("--answer", changing.execution_id, "--hit", "1", ...JUDGED)
    expect(exit).toBe(3)
    expect(err).toContain("hit 1: US_OFAC_SDN 90200 changed since this answer")
    expect(err).toContain("programs: + IRAN; names: + OSPREY LINE")
    const ran = await judge("--answer", plain.execution_id, "--hit", "1", ...JUDGED)
    expect([ran.exit, ran.err]).toEqual([0, ""])
    const [id] = idsIn(ran.out)
    const stateOf = async () =>
      (JSON.parse((await at.run(list, "--json")).out).suppressions as { suppression_id: string }[]).find(
        (one) => one.suppression_id === id,
      )
    expect(await stateOf()).toMatchObject({ state: "IN_FORCE", details: "SAME" })
    await at.bring(["US_OFAC_SDN"], { extraSdn: [changed, reworded("third."), ...CROWD] })
    expect(await stateOf()).toMatchObject({ state: "IN_FORCE", details: "DETAILS_CHANGED" })
    expect(await listed()).toContain(
      "details DETAILS_CHANGED since it was judged: read bizauth sources entry US_OFAC_SDN:90201",
    )
  })

  test("whose bytes of that time are gone is compared with what the answer keeps of it", async () => {
    await at.reload()
    const bought = async (name: string, isKept: boolean) => {
      at.keepEntries(isKept)
      return (await check(company(name))).execution_id
    }
    const [bare, kept] = [await bought("Puffin Quayside Inc", false), await bought("Puffin Quayside Corp", true)]
    const { sources } = bundleAt(await at.exported(kept)).facts
    const snapshot = sources.find((one) => one.source_id === "US_OFAC_SDN")?.snapshot_id ?? ""
    await at.bring(["US_OFAC_SDN"], { extraSdn: [{ ...CHANGING, name: "OTHER" }, reworded("third."), ...CROWD] })
    rmSync(join(at.root, "US_OFAC_SDN", snapshot), { recursive: true })
    expect(await exitOf("--answer", bare, "--hit", "1", ...JUDGED)).toEqual([
      4,
      expect.stringContaining("hit 1: whether US_OFAC_SDN 90201 changed since the answer cannot be told"),
    ])
    expect((await judge("--answer", kept, "--hit", "1", ...JUDGED)).exit).toBe(0)
    const hostile = reworded("fourth\u001b[2J\u009b31m\u202e.\u2028hit 2: judged")
    await at.bring(["US_OFAC_SDN"], { extraSdn: [{ ...CHANGING, name: "OTHER" }, hostile, ...CROWD] })
    const [exit, err] = await exitOf("--answer", kept, "--hit", "1", ...JUDGED)
    expect([exit, err.split("\n")]).toEqual([
      3,
      [expect.stringMatching(/US_OFAC_SDN 90201 changed since this answer, .*remarks: \+ fourth.*, - third\./)],
    ])
    expect(err).not.toMatch(/[^\P{Cc}\n]|[\p{Cf}\p{Zl}\p{Zp}]/u)
  })

  test("that the party does not hit any more needs no judgement", async () => {
    await at.reload()
    const { execution_id: id } = await check(company("Puffin Quayside Ltd"))
    await at.bring(["US_OFAC_SDN"], {
      extraSdn: [CHANGING, { ...PLAIN, name: "SOMETHING ELSE ENTIRELY LLC" }, ...CROWD],
    })
    const [exit, err] = await exitOf("--answer", id, "--hit", "1", ...JUDGED)
    // Its lost name is screened for thirty days, in another list.
    expect([exit, err]).toEqual([3, expect.stringContaining("list: + REMOVED_RECENTLY, - SDN")])
  })
})

test("a judgement that a restore paused is not called judged: it is named with its confirmation, and others are added", async () => {
  const first = company("Harbor Light Instruments LLC", { cage: "7Q7Q7" })
  await check(first)
  const asked = { legal_name: "Vostok Meridian LLC", identifiers: { uei: first.identifiers.uei } }
  const { execution_id: id } = await check(asked as Company)
  const [paused] = idsIn((await judge("--answer", id, "--hit", "1", ...JUDGED)).out)
  const now = formatInstant(Date.now())
  await at.store.run(() => addRestore({ backup_at: now, restored_at: now, newest_declared_at: null }))
  const both = await judge("--answer", id, "--hit", "1,2", ...JUDGED)
  const says = "US_OFAC_SDN 90001 is judged, but a restore paused this, so it does not count"
  expect([both.exit, both.err]).toEqual([0, ""])
  expect(both.out).toContain(`\npaused  ${paused}  ${says}: bizauth suppressions confirm ${paused}\nadded  sup_`)
  const [added = ""] = idsIn(both.out)
  await at.run(revoke, added, "--reason", "for a script", "--author", "S. Second")
  const script = await judge("--answer", id, "--hit", "1,2", ...JUDGED, "--json")
  expect(JSON.parse(script.out)).toMatchObject({
    suppressions: [{ entry_id: "90001" }],
    not_added: [{ suppression_id: paused, source_id: "US_OFAC_SDN", entry_id: "90001", state: "PAUSED" }],
  })
  const again = await judge("--answer", id, "--hit", "1,2", ...JUDGED, "--json")
  expect([again.exit, again.err]).toEqual([
    3,
    `${paused} says so, but a restore paused it, so it does not count: bizauth suppressions confirm ${paused}`,
  ])
  await at.reload()
  expect((await check(asked as Company)).decision).toBe("REVIEW")
})
