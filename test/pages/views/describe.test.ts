/** What a document says, for every kind that the service makes, and for hostile and foreign files. */
import { describe, expect } from "bun:test"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { Glob } from "bun"
import type { JsonValue } from "../../../src/core/strict-json.ts"
import { plainText } from "../../../src/core/text/plain-text.ts"
import { documentPage } from "../../../src/pages/document-page.ts"
import { html } from "../../../src/pages/html.ts"
import { describeDocument } from "../../../src/pages/views/describe.ts"
import { printView } from "../../../src/pages/views/print-view.ts"
import { ROOT } from "../../fixtures/imports.ts"
import { slowTests } from "../../fixtures/slow-tests.ts"

const test = slowTests(import.meta.path)

const FOLDER = join(ROOT, "test/corpus/first-build")
const files = [...new Glob("*/*.{json,capsule}").scanSync({ cwd: FOLDER })].toSorted()

const viewOf = (value: unknown) => {
  const bytes = new TextEncoder().encode(JSON.stringify(value))
  return describeDocument(value as JsonValue, bytes)
}
const read = (path: string) => JSON.parse(readFileSync(join(FOLDER, path), "utf8"))
const shown = (value: unknown) => {
  const view = viewOf(value)
  if (view === null) throw new Error("not known")
  const page = documentPage(view, {
    title: view.kind,
    hasLinks: true,
    note: html``,
    authenticity: { state: "UNCHECKED" },
  }).text
  return { view, text: printView(view, 80, "bizauth verify FILE"), page }
}

test("every stored document of every product is known, with its decision, its reasons in words and its sources", () => {
  expect(files.length).toBeGreaterThan(60)
  for (const path of files) {
    const value = read(path)
    const { view, text, page } = shown(value)
    const stated = value.delivery ?? value.answer ?? value.payload?.check ?? value.payload ?? value
    expect([path, view.decision?.decision]).toEqual([path, stated.decision])
    expect([path, view.decision?.machineAction]).toEqual([path, stated.machine_action])
    expect([path, view.reasons.map(({ code }) => code)]).toEqual([path, stated.reason_codes])
    for (const { code, why } of view.reasons) {
      expect([path, code, why === null]).toEqual([path, code, false])
      expect(text).toContain(code)
      expect(page).toContain(`/docs/reasons/${code}`)
    }
    expect(text.startsWith(`This is ${view.kind}. It is shown, not verified:\n`)).toBe(true)
    if (path.includes(".bundle.")) expect([path, view.sources.length > 0]).toEqual([path, true])
    expect(view.sources.every(({ retrieved }) => retrieved !== null)).toBe(true)
  }
})

const HOSTILE = `<img src=x onerror=1>\u202eevil\u001b[2J\u0007\r\n${"Donaudampf".repeat(60)}`

test("a hostile name stays text: on a terminal, in a page, and in one line", () => {
  const value = read(files.find((path) => path.includes(".bundle.")) ?? "")
  const supplier = { ...value.request.supplier, legal_name: HOSTILE }
  const { text, page } = shown({ ...value, request: { ...value.request, supplier } })
  for (const output of [text, page]) {
    expect(output).not.toMatch(/[^\P{Cc}\n]|\p{Cf}/u)
    expect(output).toContain("\\u{202e}evil\\u{1b}[2J\\u{7}\\u{d}\\u{a}")
    expect(output.replaceAll(/<[^>]*>/g, "")).toMatch(/…\s+\(\d+ more characters\)/)
  }
  expect(page).not.toContain("<img src=x")
  for (const name of ["decision", "machine_action"]) {
    const told = shown({ ...value, delivery: { ...value.delivery, [name]: HOSTILE } })
    expect(told.page).not.toContain("<img src=x")
    expect(told.text).not.toContain("\u001b")
  }
})

describe("text is cut and escaped by code points", () => {
  test.each([
    ["plain", "plain"],
    ["\u200b", "\\u{200b}"],
    ["é ü 株", "é ü 株"],
    ["😀".repeat(400), "😀".repeat(400)],
    ["😀".repeat(402), `${"😀".repeat(400)}… (2 more characters)`],
  ])("%s", (given, expected) => {
    expect(plainText(given)).toBe(expected)
  })
})

test("another version of a policy gives its code without words, and the token of an answer is not shown", () => {
  const path = files.find((name) => name.includes("us.payment.authorize.v1") && name.endsWith(".answer.json")) ?? ""
  const value = read(path)
  const { view } = shown({ ...value, policy: { ...value.policy, version: "99.0.0" } })
  expect(view.reasons.every(({ why }) => why === null)).toBe(true)
  const token = "svc_token_that_must_not_be_shown"
  const { text, page } = shown({ ...value, result: { ...value.result, authorization_token: token } })
  expect(text + page).not.toContain(token)
})

test("a sandbox document and a test document say so before anything else", () => {
  const value = read(files.find((name) => name.endsWith(".capsule")) ?? "")
  const of = (environment: string) => viewOf({ ...value, payload: { ...value.payload, environment } })?.warnings[0]
  expect(of("sandbox")).toContain("synthetic")
  expect(of("test")).toContain("test environment")
  expect(of("live")).toBeUndefined()
})

describe("a document without a decision is named, and says that it has none", () => {
  test.each([
    ["a JWK set", { keys: [{ kty: "OKP", x: "a" }] }],
    ["an error response of a service", { type: "t", title: "Not found", status: 404, code: "NOT_FOUND" }],
    ["a quote", { x402Version: 2, accepts: [] }],
    ["a request", { idempotency_key: "k", supplier: { legal_name: "Acme" } }],
    ["a snapshot manifest", { format: "f", source_id: "US_OFAC_SDN" }],
    ["a bundle of an agent identity", { bundle_type: "b", agent_id: "a" }],
    ["a signed document", { payload: { domain: "svc.other.v1" } }],
  ])("%s", (kind, value) => {
    expect(viewOf(value)).toMatchObject({ kind, decision: null })
    expect(viewOf(value)?.warnings).toContain("This document contains no decision about a payment.")
  })

  test("a private key is never shown", () => {
    const { text } = shown({ kty: "OKP", crv: "Ed25519", x: "public", d: "secret-part" })
    expect(text).toContain("a file of private keys")
    expect(text).not.toContain("secret-part")
  })

  test("an unknown document is none", () => {
    for (const value of [{}, [], "text", 1, null, { a: 1 }]) expect(viewOf(value)).toBeNull()
  })
})

describe("a publication of unknown time", () => {
  const views = (document: unknown) => {
    const { text, page } = shown(document)
    return [
      text.match(/published unknown/g)?.length ?? 0,
      page.match(/>Published<\/span><span>unknown<\/span>/g)?.length ?? 0,
    ]
  }

  test("of a list in a Payment Decision is unknown in text and page, although the fact has a time", () => {
    const bundle = read("decision-gate.release-payment-to-supplier.v1/allow-registered.bundle.json")
    expect(views(bundle)).toEqual([0, 0])
    const [source] = bundle.facts.sources
    source.limitations = ["PUBLICATION_UNKNOWN"]
    delete source.published_at
    expect(source.source_timestamp).toBeString()
    expect(views(bundle)).toEqual([1, 1])
  })

  test("of a list in an answer is unknown in text and page, although the observation has a time", () => {
    const { answer } = read("us.company.check.v1/approve-attested.bundle.json")
    answer.evidence[0].claims.push("SOURCE_LIMITATION:PUBLICATION_UNKNOWN")
    expect(views(answer)).toEqual([1, 1])
  })
})
