/** The case of every stored delivery of every product, on every surface, and of documents that lie or lack something. */
import { describe, expect } from "bun:test"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { Value } from "@sinclair/typebox/value"
import { Glob } from "bun"
import { Case } from "../../schemas/case.ts"
import { headlineOf, type Unverified } from "../../src/case/words/headline.ts"
import { type JsonObject, type JsonValue, readJson } from "../../src/core/strict-json.ts"
import { documentPage } from "../../src/pages/document-page.ts"
import { html } from "../../src/pages/html.ts"
import { describeDocument } from "../../src/pages/views/describe.ts"
import { printView } from "../../src/pages/views/print-view.ts"
import { ROOT } from "../fixtures/imports.ts"
import { slowTests } from "../fixtures/slow-tests.ts"

const test = slowTests(import.meta.path)
const CORPUS = join(ROOT, "test/corpus")
const bundles = [...new Glob("*-build/*/*.bundle.json").scanSync({ cwd: CORPUS })].toSorted()

// biome-ignore lint/suspicious/noExplicitAny: a stored document of any product.
type Stored = any

function read(path: string): Stored {
  return JSON.parse(readFileSync(join(CORPUS, path), "utf8"))
}

const UNCHECKED: Unverified = { state: "UNCHECKED" }

function shown(value: unknown, authenticity = UNCHECKED) {
  const bytes = new TextEncoder().encode(JSON.stringify(value))
  const view = describeDocument(readJson(bytes) as JsonValue, bytes)
  if (!view?.case) throw new Error("no case")
  const page = documentPage(view, { title: view.kind, hasLinks: true, note: html``, authenticity }).text
  return { view, one: view.case, page, text: printView(view, 80, "bizauth verify FILE") }
}

const unwrapped = (text: string) => text.replaceAll(/\s+/g, " ")
const PERMISSIONS: Readonly<Record<string, string>> = {
  ALLOW: "PAY",
  ALLOW_WITH_CONDITIONS: "PAY_IF",
  HOLD: "HOLD",
  UNDETERMINED: "HOLD",
  APPROVE: "PAY",
  CONDITIONAL: "PAY_IF",
  REVIEW: "HOLD",
  BLOCK: "STOP",
}

test("each stored bundle has one case: its permission, its reasons, its hits; text, page and JSON agree", () => {
  expect(bundles.length).toBeGreaterThan(150)
  for (const path of bundles) {
    const bundle = read(path)
    const stated = bundle.delivery ?? bundle.answer
    const { one, page, text } = shown(bundle)
    expect([path, Value.Check(Case, one)]).toEqual([path, true])
    expect([path, one.permission, one.missing]).toEqual([path, PERMISSIONS[stated.decision] as never, []])
    const headline = headlineOf(one, UNCHECKED)
    expect([path, page.includes(`<h1>${headline.words}</h1>`), text.includes(`\n${headline.words}\n`)]).toEqual([
      path,
      true,
      true,
    ])
    const stops = one.stopped_by.map(({ code }) => code)
    if (one.permission !== "PAY") expect([path, stops.length > 0]).toEqual([path, true])
    for (const { code, why } of one.stopped_by) {
      expect([path, stated.reason_codes.includes(code), why === null]).toEqual([path, true, false])
      expect([path, text.includes(code), page.includes(code)]).toEqual([path, true, true])
    }
    for (const way of one.ways) expect([path, way.code, way.words === null]).toEqual([path, way.code, false])
    expect([path, one.hits.length]).toEqual([path, hitsIn(bundle.facts)])
    for (const { compared } of one.gates)
      for (const { what, asked, found } of compared)
        for (const value of [what, asked, found])
          if (value !== null) expect([path, unwrapped(text).includes(value)]).toEqual([path, true])
    if (one.permission === "HOLD" || one.permission === "STOP")
      expect([path, /class="band (pay|pay-if)"|class="good"/.test(page)]).toEqual([path, false])
    expect([path, one.gates.length > 0]).toEqual([path, true])
  }
})

/** Hits that the facts have, wherever they have them. */
function hitsIn(facts: Stored): number {
  const screenings = [
    facts.screening,
    facts.recorded_supplier?.screening,
    ...(facts.recorded_supplier?.other_names ?? []).map((one: Stored) => one.screening),
    ...(facts.screened_names ?? []).map((one: Stored) => one.screening),
  ].filter((one) => one !== undefined)
  const wallets = [facts.wallet_hits?.payee, facts.wallet_hits?.payment_destination].filter((hit) => hit)
  const counts = screenings.map(({ hits, suppressed_hits: judged = [] }: Stored) => hits.length + judged.length)
  return counts.reduce((sum: number, count: number) => sum + count, wallets.length)
}

test("a gate that a reason stopped has its outcome, and a gate without one passed or did not run", () => {
  for (const path of bundles) {
    const bundle = read(path)
    const { one } = shown(bundle)
    for (const { gate, outcome, reasons } of one.gates) {
      const own = one.stopped_by.filter((reason) => reason.gate === gate)
      if (own.length > 0) expect([path, gate, outcome !== "PASS"]).toEqual([path, gate, true])
      if (reasons.length === 0) expect([path, gate, ["PASS", "NOT_RUN"].includes(outcome)]).toEqual([path, gate, true])
    }
    const stated = bundle.delivery?.checks_executed ?? []
    for (const { check_id: gate, outcome } of stated)
      expect([path, gate, one.gates.find((own) => own.gate === gate)?.outcome]).toEqual([path, gate, outcome])
  }
})

describe("the first words of a document that nobody may act on", () => {
  const allowed = bundles.filter((path) =>
    ["ALLOW", "APPROVE"].includes((read(path).delivery ?? read(path).answer).decision),
  )
  const at = (time: string) => ({ state: "ISSUED", now: Date.parse(time) }) as const
  const first = (value: unknown, authenticity: Unverified) => headlineOf(shown(value).one, authenticity)

  test("are never Pay or Go on if it is unchecked, expired or not yet valid", () => {
    for (const path of allowed) {
      const bundle = read(path)
      const { valid_as_of: from, valid_until: end } = bundle.delivery ?? bundle.answer
      for (const authenticity of [UNCHECKED, at(end), at("2100-01-01T00:00:00Z"), at("2000-01-01T00:00:00Z")]) {
        const { words, tone } = first(bundle, authenticity)
        expect([path, words.startsWith("Do not "), tone]).toEqual([path, true, "NO_ANSWER"])
      }
      const { words, tone } = first(bundle, at(from))
      expect([path, /^(Pay|Go on), until \d\d:\d\d UTC /.test(words), tone]).toEqual([path, true, "PAY"])
    }
  })

  test("forbid what this program does not know: another decision, another action, a pair that contradicts itself", () => {
    const bundle = read(allowed[0] ?? "")
    for (const change of [
      { decision: "ALLOW_ALL" },
      { machine_action: "PAY_AT_ONCE" },
      { decision: "BLOCK" },
      { decision: "HOLD" },
    ]) {
      const stated = { ...(bundle.delivery ?? bundle.answer), ...change }
      const { words, tone } = first(
        { ...bundle, ...(bundle.delivery ? { delivery: stated } : { answer: stated }) },
        at(stated.valid_as_of),
      )
      expect(words).toBe("Do not pay: this program does not know the decision")
      expect(tone).toBe("NO_ANSWER")
    }
  })
})

test("a document with members of other types, or without them, still has a case, which permits nothing more", () => {
  for (const path of bundles.filter((_, index) => index % 7 === 0)) {
    const bundle = read(path)
    const before = shown(bundle).one.permission
    for (const name of ["request", "facts"])
      for (const value of [null, [], "text", 7, { screening: [], sources: {}, registration: { lookups: [null, 1] } }]) {
        const { one } = shown({ ...bundle, [name]: value })
        expect([path, one.permission, Value.Check(Case, one)]).toEqual([path, before, true])
      }
  }
})

test("an answer without its facts compares nothing, and says how to get them", () => {
  const { answer } = read("second-build/us.company.check.v1/review-name-hit.bundle.json") as { answer: JsonObject }
  const { one, text, page } = shown(answer)
  expect(one.missing).toEqual(["REQUEST", "FACTS"])
  expect(one.hits.map(({ entry_id: id }) => id)).not.toEqual([])
  for (const output of [unwrapped(text), page])
    expect(output).toContain("bizauth export ID --data DIR --out BUNDLE.json")
  expect(text).not.toContain("not used before")
  expect(text).not.toContain("not seen before")
})
