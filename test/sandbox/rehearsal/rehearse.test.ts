import { afterAll, beforeAll, describe, expect } from "bun:test"
import { readdirSync, readFileSync, statSync } from "node:fs"
import { join } from "node:path"
import { JourneyResponse } from "../../../schemas/agent-mode/journeys.ts"
import { realMachine } from "../../../src/base/machine.ts"
import { command as verify } from "../../../src/cli/documents/verify.ts"
import { command as exportKeys } from "../../../src/cli/keys/export.ts"
import { checkSandboxSignature } from "../../../src/core/sandbox/sandbox-artifact.ts"
import { openDataDirectory } from "../../../src/data/data-directory.ts"
import { compile } from "../../../src/http/read-body.ts"
import { type PublicSandboxKey, publicSandboxKey } from "../../../src/keys/sandbox-key.ts"
import { PRODUCTS } from "../../../src/products/products.ts"
import { countEffects } from "../../agent-mode/effects.ts"
import { GB_NAME, GB_NUMBER } from "../../fixtures/gb.ts"
import { BLOCKED_ORGANISATION } from "../../fixtures/sample-parties.ts"
import { slowTests } from "../../fixtures/slow-tests.ts"
import { runCommand } from "../../fixtures/terminal.ts"
import { openRehearsalOperator, type RehearsalOperator } from "./rehearsal-operator.ts"

const test = slowTests(import.meta.path)

const MINUTE_MS = 60_000
let operator: RehearsalOperator
beforeAll(async () => {
  operator = await openRehearsalOperator()
}, MINUTE_MS)
afterAll(() => operator[Symbol.dispose]())

const DECISION = "decision-gate.release-payment-to-supplier.v1"
const company = (legal_name: string) => ({ legal_name, identifiers: { uei: "ZQGGHJH74DW7" } })
const CLEAR = company("Harbor Light Instruments LLC")
const LISTED = company(BLOCKED_ORGANISATION)
const GB_INVOICE = { company_number: GB_NUMBER, invoice: { invoice_company_name: GB_NAME } }

/** The least that a draft of the product must state: what names its party. */
function leastDraft(id: string, party: typeof CLEAR = CLEAR): object {
  const named: Readonly<Record<string, unknown>> = { ...GB_INVOICE, company: party, supplier: party }
  const pointers = PRODUCTS.find((product) => product.id === id)?.party ?? []
  const members = pointers.map((pointer) => pointer.split("/")[1] ?? "")
  return Object.fromEntries(members.map((member) => [member, named[member]]))
}

interface Rehearsed {
  readonly exit: number
  readonly response: JourneyResponse
  /** Body of the last response. */
  readonly answer: Record<string, unknown>
  readonly report: { product_id: string; made_up: string[]; replaced: string[] }
}

async function rehearsed(draft: object, ...args: string[]): Promise<Rehearsed> {
  const { exit, out, err } = await operator.rehearse(draft, "--json", ...args)
  if (out === "") throw new Error(`nothing was printed: ${err}`)
  const response = JSON.parse(out) as JourneyResponse
  expect(compile(JourneyResponse).Errors(response).First()).toBeUndefined()
  const answer = response.payload.transcript.at(-1)?.response?.body as Record<string, unknown>
  const report = response.artifacts[0]?.payload.document as unknown as Rehearsed["report"]
  return { exit, response, answer, report }
}

describe("every product", () => {
  test.each(PRODUCTS.map(({ id }) => id))(
    "%s is decided on the operator's lists, and a listed party is not let through",
    async (id) => {
      const { exit, response, answer, report } = await rehearsed(leastDraft(id), "--product", id)
      expect([0, 9]).toContain(exit)
      expect(typeof answer["decision"]).toBe("string")
      expect(report.product_id).toBe(id)
      expect(report.replaced).toEqual([])
      const { payload, artifacts } = response
      expect(payload).toMatchObject({ journey: "REHEARSAL", synthetic: true, environment: "SANDBOX" })
      const capsule = artifacts.find(({ payload }) => payload.artifact_type === "PROOF_CAPSULE")?.payload.document
      expect(capsule).toMatchObject({ payload: { environment: "sandbox" } })
      if (id.startsWith("gb.")) return
      const listed = await rehearsed(leastDraft(id, LISTED), "--product", id)
      expect([id, listed.exit]).toEqual([id, 9])
      expect(JSON.stringify(listed.answer["reason_codes"])).toContain("RESTRICTED_PARTY")
    },
    MINUTE_MS,
  )
})

test("the terminal says that it is a rehearsal, the decision, why, and what to do", async () => {
  const { exit, out } = await operator.rehearse({ supplier: LISTED })
  expect(exit).toBe(9)
  expect(out).toStartWith("REHEARSAL: nothing real was bought, paid, recorded or sent")
  expect(out).toContain("decision   BLOCK\n")
  expect(out).toContain("no permission to go on")
  expect(out).toMatch(/because {4}RESTRICTED_PARTY_\w+: \w+/)
  expect(out).toMatch(/to do {6}[A-Z_]+/)
  expect(out).toMatch(/made up {4}.*\/buyer /)
  expect(out).toMatch(/list {7}US_OFAC_SDN \S+/)
  expect(out).toContain("the sandbox key")
})

test(
  "what the draft states stays; what only the sandbox can sign is replaced and named",
  async () => {
    const { answer, report, response } = await rehearsed({
      supplier: CLEAR,
      amount: "77.50",
      currency: "EUR",
      payee: { type: "WALLET", value: `0x${"cd".repeat(20)}`, provider_namespace: "eip155:8453" },
      buyer: { organization_id: "org:real", organization_digest: `sha256:${"0".repeat(64)}` },
      decision_fee_payer: `0x${"12".repeat(20)}`,
      buyer_mandate: { of: "another request" },
      freshness_requirements: { max_age_seconds: 86_400, evaluated_at: "2020-01-01T00:00:00Z" },
    })
    const sent = response.payload.transcript.at(-1)?.request?.body as Record<string, Record<string, unknown>>
    expect(sent).toMatchObject({
      amount: "77.50",
      currency: "EUR",
      freshness_requirements: { max_age_seconds: 86_400 },
    })
    expect(sent["payment_destination"]).toEqual(sent["payee"] as Record<string, unknown>)
    expect(report.replaced.toSorted()).toEqual([
      "/buyer",
      "/buyer_mandate",
      "/decision_fee_payer",
      "/freshness_requirements/evaluated_at",
    ])
    expect(report.made_up).not.toContain("/amount")
    expect(report.made_up).not.toContain("/payment_destination")
    expect(typeof answer["decision"]).toBe("string")
  },
  MINUTE_MS,
)

test("a draft without a party, of several products or of none is not rehearsed", async () => {
  const refused = async (draft: object, ...args: string[]) => {
    const { exit, out, err } = await operator.rehearse(draft, ...args)
    expect([exit, out]).toEqual([2, ""])
    return err
  }
  expect(await refused({ amount: "1" }, "--product", "us.company.check.v1")).toContain("/company/identifiers")
  expect(await refused({ company: CLEAR })).toContain("fits several products")
  expect(await refused({ nothing: "known" })).toContain("of no product")
  expect(await refused({ supplier: CLEAR }, "--product", "us.company")).toContain("/product_id")
  expect(await refused({ supplier: CLEAR, economic_purpose: "x".repeat(70_000) })).toContain("65536 bytes")
  expect(await refused({ supplier: CLEAR }, "--seed", "-1")).toContain("--seed")
  expect(await refused({ supplier: CLEAR }, "--clock", "2019-12-31T23:59:59Z")).toContain("--clock")
})

test("a fault in the draft is the refusal of the product's own route", async () => {
  const { exit, out } = await operator.rehearse({ supplier: CLEAR, amount: "0" })
  expect(exit).toBe(3)
  expect(out).toContain("refused    AMOUNT_ZERO")
  const bank = await operator.rehearse({ supplier: CLEAR, economic_purpose: "pay GB33BUKB20201555555555" })
  expect([bank.exit, bank.out]).toEqual([2, ""])
  expect(bank.err).toContain("/economic_purpose")
  expect(bank.err).not.toContain("GB33BUKB20201555555555")
})

test("a payee that no mandate can name is a fault like any other", async () => {
  for (const payee of [5, null, "wallet", [], {}, { type: "WALLET", value: 5 }, { fingerprint: 5 }]) {
    const { exit, out } = await operator.rehearse({ supplier: CLEAR, payee }, "--product", DECISION)
    expect([payee, exit]).toEqual([payee, 3])
    expect(out).toContain("refused    SCHEMA_INVALID")
    expect(out).toMatch(/fault {6}\/payee/)
    expect(out).not.toContain("/buyer_mandate")
  }
})

test("bank data in a draft with another fault is refused too, and repeated nowhere", async () => {
  const [iban, card] = ["GB33BUKB20201555555555", 4_111_111_111_111_111]
  const drafts: readonly [object, string][] = [
    [{ amount: 5, economic_purpose: `pay ${iban}` }, "/economic_purpose"],
    [{ iban }, "/iban"],
    [{ [iban]: "pay here" }, ""],
    [{ supplier: { ...CLEAR, account: { number: iban } } }, "/supplier/account/number"],
    [{ economic_purpose: card }, "/economic_purpose"],
    [{ amount: { of: [iban] } }, "/amount/of/0"],
    [{ amount: ["1", iban] }, "/amount/1"],
    [{ sort_code: "200000", account: "55555555" }, ""],
    [{ invoice: { sort_code: 200_000, account_number: 55_555_555 } }, "/invoice"],
  ]
  for (const [members, pointer] of drafts) {
    const { exit, out, err } = await operator.rehearse({ supplier: CLEAR, ...members }, "--product", DECISION)
    expect([members, exit, out]).toEqual([members, 2, ""])
    expect(err).toContain(`\n  ${pointer}: fingerprint or opaque reference`)
    for (const value of [iban, String(card), "55555555"]) expect(err).not.toContain(value)
  }
  // An amount is no member that can hold a card number, and a refusal of the schema repeats no value.
  const amount = await operator.rehearse({ supplier: CLEAR, amount: card }, "--product", DECISION)
  expect([amount.exit, amount.out.includes("SCHEMA_INVALID")]).toEqual([3, true])
  expect(amount.out + amount.err).not.toContain(String(card))
  // Another fault alone is still the refusal of the route.
  const { exit, out } = await operator.rehearse({ supplier: CLEAR, amount: 5, more: "members" }, "--product", DECISION)
  expect([exit, out.includes("SCHEMA_INVALID")]).toEqual([3, true])
})

test("a live directory rehearses too; a list that was never imported decides nothing", async () => {
  using live = await openRehearsalOperator("live")
  const { exit, out } = await live.rehearse({ supplier: CLEAR })
  expect(exit).toBe(4)
  expect(out).toContain("SOURCE_UNAVAILABLE")
  const gb = await live.rehearse(GB_INVOICE)
  expect(gb.exit).toBe(4)
  expect(gb.out).toContain("decision   NO_DECISION")
})

test(
  "the sandbox key signs it, and verify refuses the result, its capsule and its wrappers unless --sandbox",
  async () => {
    const { response } = await rehearsed({ supplier: CLEAR })
    const { out } = await runCommand(exportKeys, ["--data", operator.data])
    const issuer = operator.file(JSON.parse(out))
    const { x } = (await sandboxKey()).public_jwk
    expect(response.signature.issuer).toBe("svc:sandbox")
    for (const one of [response, ...response.artifacts]) expect(checkSandboxSignature(one, x)).toBeNull()
    const last = response.payload.transcript.at(-1)?.response?.body
    const documents = [
      response,
      last,
      ...response.artifacts,
      ...response.artifacts.map(({ payload }) => payload.document),
    ]
    for (const document of documents) {
      const ran = await runCommand(verify, [operator.file(document), "--issuer", issuer])
      expect(ran.exit === 3 || ran.exit === 4).toBe(true)
      expect(ran.out).not.toContain("GENUINE: the issuer signed")
    }
    const pinned = operator.file(await sandboxKey())
    for (const wrapper of response.artifacts) {
      const ran = await runCommand(verify, [operator.file(wrapper), "--sandbox", "--issuer", pinned])
      expect([ran.exit, ran.out.includes("SYNTHETIC")]).toEqual([0, true])
    }
  },
  MINUTE_MS,
)

async function sandboxKey(): Promise<PublicSandboxKey> {
  const onFatal = (error: unknown): never => {
    throw error
  }
  const { store } = await openDataDirectory(operator.data, { machine: realMachine, migrate: false, onFatal })
  return publicSandboxKey(store).finally(() => store.close())
}

test("nothing is called and no row is written; the directory has the same files with the same bytes", async () => {
  const bytes = () =>
    readdirSync(operator.data, { recursive: true })
      .map((name) => join(operator.data, String(name)))
      .filter((path) => statSync(path).isFile() && !/-(wal|shm)$/.test(path))
      .map((path) => [path, Bun.hash(readFileSync(path))])
  const before = bytes()
  const effects = await countEffects(operator.data, () => rehearsed({ supplier: CLEAR }))
  expect([effects.calls, effects.changedTables]).toEqual([0, []])
  expect(bytes()).toEqual(before)
})
