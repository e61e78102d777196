/** A document that nobody may act on says so everywhere: no line of it begins with "Pay" or "Go on", and nothing on its page is green. */
import { expect } from "bun:test"
import { AnswerAction, AnswerDecision } from "../../schemas/business-answer.ts"
import { Decision, MachineAction } from "../../schemas/us/proof-capsule.ts"
import { permissionOf } from "../../src/case/permission.ts"
import type { Unverified } from "../../src/case/words/headline.ts"
import { type JsonObject, type JsonValue, readJson } from "../../src/core/strict-json.ts"
import { instant } from "../../src/core/time.ts"
import { documentPage } from "../../src/pages/document-page.ts"
import { html } from "../../src/pages/html.ts"
import { describeDocument } from "../../src/pages/views/describe.ts"
import { printView } from "../../src/pages/views/print-view.ts"
import { BUILDS, isDecision, storedIn } from "../corpus/stored-bundle.ts"
import { slowTests } from "../fixtures/slow-tests.ts"
import { GREEN, wordsOf } from "./views-of.ts"

const test = slowTests(import.meta.path)

const stored = BUILDS.flatMap((build) => storedIn(build).stored.map((one) => ({ one, name: `${build} ${one.case}` })))
const statedIn = (bundle: (typeof stored)[number]["one"]["bundle"]) =>
  isDecision(bundle) ? bundle.delivery : bundle.answer
const permitting = stored.filter(({ one }) => /^(ALLOW|APPROVE|CONDITIONAL)/.test(statedIn(one.bundle).decision))

const PERMITS = /^\s*(Pay|Go on)\b|may (release|go on)/

/** Of terminals: each breaks lines elsewhere. */
const WIDTHS = [40, 56, 64, 72, 80, 100]

/** What of the view of a document sounds like a permission. */
function permissionsIn(value: unknown, authenticity: Unverified): string[] {
  const bytes = new TextEncoder().encode(JSON.stringify(value))
  const view = describeDocument(readJson(bytes) as JsonValue, bytes)
  if (view === null) throw new Error("no view")
  const page = documentPage(view, { title: view.kind, hasLinks: true, note: html``, authenticity }).text
  const pieces = [...page.matchAll(/<(li|h1|p)\b[^>]*>(.*?)<\/\1>/gs)].map(([piece]) => wordsOf(piece))
  const lines = WIDTHS.flatMap((width) => printView(view, width, "bizauth verify FILE").split("\n"))
  const json = [...view.advice, JSON.stringify({ ...view, case: null, facts: [] })]
  return [...pieces, ...lines, ...json, ...(GREEN.test(page) ? ["green"] : [])].filter(
    (text) => PERMITS.test(text) || text === "green",
  )
}

const UNCHECKED: Unverified = { state: "UNCHECKED" }
const shownAt = (now: number): Unverified => ({ state: "ISSUED", now })

test("an answer that permits something, unchecked, expired or not yet valid: as its bundle and as it was delivered", () => {
  expect(permitting.length).toBeGreaterThan(60)
  for (const { one, name } of permitting) {
    const stated = statedIn(one.bundle)
    for (const authenticity of [UNCHECKED, shownAt(instant(stated.valid_until)), shownAt(0)])
      for (const document of [one.bundle, stated])
        expect([name, permissionsIn(document, authenticity)]).toEqual([name, []])
  }
})

const literals = (...unions: readonly { readonly anyOf: readonly { readonly const: string }[] }[]) =>
  unions.flatMap(({ anyOf }) => anyOf.map((one) => one.const))
const DECISIONS = [...new Set([...literals(Decision, AnswerDecision), "PAY", "Pay now", "Go on"])]
const ACTIONS = [...new Set([...literals(MachineAction, AnswerAction), "PAY_AT_ONCE", "Pay"])]
const unknown = DECISIONS.flatMap((decision) =>
  ACTIONS.flatMap((action) => (permissionOf(decision, action) === null ? [[decision, action] as const] : [])),
)

test(`a forged pair of decision and action: ${unknown.length} pairs`, () => {
  const bundles = [
    permitting.find(({ one }) => isDecision(one.bundle)),
    permitting.find(({ one }) => !isDecision(one.bundle)),
  ]
  for (const { one, name } of bundles.flatMap((each) => each ?? []))
    for (const [decision, machine_action] of unknown) {
      const { bundle } = one
      const forged = { ...statedIn(bundle), decision, machine_action }
      const document = { ...bundle, [isDecision(bundle) ? "delivery" : "answer"]: forged } as JsonObject
      for (const authenticity of [UNCHECKED, shownAt(instant(forged.valid_as_of))]) {
        const pair = [name, decision, machine_action]
        expect([...pair, permissionsIn(document, authenticity)]).toEqual([...pair, []])
      }
    }
})

test("a forged passport", () => {
  const payload = {
    domain: "svc.company-passport.v1",
    valid_until: "2999-01-01T00:00:00.000Z",
    check: { decision: "Pay now", machine_action: "CONTINUE" },
  }
  expect(permissionsIn({ payload }, UNCHECKED)).toEqual([])
})
