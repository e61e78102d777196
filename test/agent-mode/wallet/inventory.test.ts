/** Pages, filters, limits and ends of wallets. */
import { afterAll, beforeAll, expect, test } from "bun:test"
import {
  getProofWalletInventory,
  importProofWalletArtifact,
  type ProofWalletInventory,
} from "../../../schemas/agent-mode/proof-wallet.ts"
import { purgeExpired } from "../../../src/agent-mode/purge-expired.ts"
import { canonicalBytes } from "../../../src/core/canonical-json.ts"
import { digestOf } from "../../../src/core/digest.ts"
import { DAY, formatInstant, MINUTE } from "../../../src/core/time.ts"
import { routes } from "../../../src/server/app.ts"
import { findLiveEntry } from "../../../src/store/wallet/wallet-pages.ts"
import type { TestAgent } from "../../fixtures/agent.ts"
import { databaseOf } from "../../fixtures/database-of.ts"
import { DECIDED_AT } from "../../fixtures/decision.ts"
import { BASE_URL, testServiceOn } from "../../fixtures/service.ts"
import { type AgentService, agentService } from "../agent-service.ts"
import { asRequest, signedCall } from "../signed-calls.ts"
import * as made from "./artifacts.ts"

let service: AgentService
let agent: TestAgent
let other: TestAgent
let serial = 0
beforeAll(async () => {
  service = await agentService()
  made.adoptIssuer(service)
  agent = await service.enrol()
  other = await service.enrol()
  service.clock.set(DECIDED_AT + 10 * MINUTE)
  await bring("PROOF_CAPSULE", made.decision())
  await bring("PROOF_CAPSULE", made.companyCheck().capsule, "SIGNED_DOCUMENT")
  await bring("STATUS_RECORD", await made.status(service, other), "SIGNED_DOCUMENT")
  await bring("EVENT_RECEIPT", await made.receipt(service, agent))
  await bring("UK_DELIVERY", { answer: made.parsed(made.gbChange().copies.paid), capsule: made.gbChange().capsule })
})
afterAll(() => service[Symbol.asyncDispose]())

const importOf = (type: string, document: unknown, mode = "DIGEST_ONLY", until = service.clock.now() + 30 * DAY) => ({
  schema_version: "1.0.0",
  contract_version: "1.0.0",
  environment: "LIVE",
  idempotency_key: `import-${++serial}-key`,
  artifact: { artifact_type: type, document },
  retention: { mode, until: formatInstant(until) },
})
async function bring(type: string, document: unknown, mode?: string, until?: number, as = agent) {
  const told = await service.call(as, importProofWalletArtifact, importOf(type, document, mode, until))
  if (told.status !== 200) throw new Error(told.refusal)
  return told.body
}

interface Question {
  readonly types?: readonly string[]
  readonly validity?: string
  readonly issuer?: string | null
  readonly limit?: number
  readonly cursor?: string | null
  readonly environment?: string
  readonly documents?: boolean
}
const question = (given: Question) => ({
  schema_version: "1.0.0",
  contract_version: "1.0.0",
  environment: given.environment ?? "LIVE",
  filter: { artifact_types: given.types ?? [], validity: given.validity ?? "ANY", issuer: given.issuer ?? null },
  page: { limit: given.limit ?? 100, cursor: given.cursor ?? null },
  ...(given.documents !== undefined && { include_documents: given.documents }),
})
const ask = (given: Question = {}, as = agent) => service.call(as, getProofWalletInventory, question(given))
const list = async (given: Question = {}, as = agent) => (await ask(given, as)).body as unknown as ProofWalletInventory
const typesOf = ({ entries }: ProofWalletInventory) => entries.map(({ artifact_type: type }) => type)

const ALL = ["PROOF_CAPSULE", "PROOF_CAPSULE", "STATUS_RECORD", "EVENT_RECEIPT", "UK_DELIVERY"] as const

test("an agent sees its own entries in the order of import, and no other agent sees them", async () => {
  const own = await list()
  expect(typesOf(own)).toEqual([...ALL])
  expect(own.inventory_digest).toBe(digestOf(own.entries))
  expect(own.entries.map(({ reuse_state, reuse_reason }) => [reuse_state, reuse_reason])).toEqual([
    ["REUSABLE", null],
    ["REUSABLE", null],
    ["NOT_REUSABLE", "TYPE_NOT_REUSABLE"],
    ["NOT_REUSABLE", "TYPE_NOT_REUSABLE"],
    ["REUSABLE", null],
  ])
  expect((await list({}, other)).entries).toEqual([])
  expect((await list({ environment: "SANDBOX" })).entries).toEqual([])
})

test.each<[string, Question, readonly string[]]>([
  ["by type", { types: ["EVENT_RECEIPT", "STATUS_RECORD"] }, ["STATUS_RECORD", "EVENT_RECEIPT"]],
  ["current", { validity: "CURRENT" }, [...ALL]],
  ["expired", { validity: "EXPIRED" }, []],
  ["by issuer", { issuer: "svc" }, [...ALL]],
  ["by another issuer", { issuer: "svc:sandbox" }, []],
])("filtered %s", async (_name, given, expected) => {
  expect(typesOf(await list(given))).toEqual(expected as never)
})

test("an end that passes moves an entry from current to expired", async () => {
  const now = service.clock.now()
  service.clock.set(now + 5 * MINUTE)
  expect(typesOf(await list({ validity: "EXPIRED" }))).toEqual(["STATUS_RECORD"])
  expect((await list({ validity: "EXPIRED" })).entries[0]?.reuse_state).toBe("EXPIRED")
  service.clock.set(now)
})

test("pages follow the cursor to the entry that was last at the first page", async () => {
  const first = await list({ limit: 2 })
  await bring("PROOF_CAPSULE", made.passport(), "DIGEST_ONLY", service.clock.now() + 2 * MINUTE)
  const second = await list({ limit: 2, cursor: first.next_cursor })
  const third = await list({ limit: 2, cursor: second.next_cursor })
  expect([first, second, third].flatMap(typesOf)).toEqual([...ALL])
  expect(third.next_cursor).toBeNull()
  expect(typesOf(await list())).toHaveLength(6)
})

const refusal = async (given: Question) => (await ask(given)).refusal
test("a cursor of another filter or wallet, and an edited one, are refused", async () => {
  const { next_cursor: cursor } = await list({ limit: 1 })
  expect(await refusal({ cursor, validity: "CURRENT" })).toBe("422 CURSOR_INVALID")
  expect(await refusal({ cursor, environment: "SANDBOX" })).toBe("422 CURSOR_INVALID")
  const members = JSON.parse(Buffer.from(String(cursor), "base64url").toString())
  const beyond = Buffer.from(canonicalBytes({ ...members, up_to: 1e300 })).toString("base64url")
  for (const wrong of [`${cursor}A`, "e30", "not base64!", btoa("{}"), beyond]) {
    expect(await refusal({ cursor: wrong })).toBe("422 CURSOR_INVALID")
  }
})

test("documents come with short pages only, where they were kept", async () => {
  expect(await refusal({ documents: true, limit: 11 })).toBe("422 SCHEMA_INVALID")
  const { entries } = await list({ documents: true, limit: 10 })
  expect(entries.slice(0, 3).map(({ document }) => document)).toEqual([
    undefined,
    made.companyCheck().capsule,
    expect.objectContaining({ next_machine_action: "USE_UNTIL_FRESH_UNTIL_THEN_REFETCH" }),
  ] as never)
})

test("a revoked change and a spent token are no longer reusable", async () => {
  const { payload } = made.gbChange().capsule
  const token = (state: string) => {
    made.elsewhere(service, "DELETE FROM authorization_token")
    made.elsewhere(
      service,
      "INSERT INTO authorization_token (token_hash, request_id, execution_id, product, country, kind, binding_json, wallet, evidence_reference, issued_at, expires_at, state, changed_at, revocation_reason) VALUES (?1, 'r', 'e', 'p', 'GB', 'VENDOR_CHANGE', '{}', 'w', ?2, '', '', ?3, '', ?4)",
      "0".repeat(64),
      payload.core_digest,
      state,
      state === "REVOKED" ? "SUPERSEDED" : null,
    )
  }
  const judged = async () => {
    const [entry] = (await list({ types: ["UK_DELIVERY"] })).entries
    return [entry?.reuse_state, entry?.reuse_reason]
  }
  token("REVOKED")
  expect(await judged()).toEqual(["REVOKED", "TOKEN_REVOKED"])
  token("SPENT")
  expect(await judged()).toEqual(["NOT_REUSABLE", "TOKEN_SPENT"])
  made.elsewhere(service, "DELETE FROM authorization_token")
})

test("an entry is found for the preview of reuse by its id and artifact, until it ends", async () => {
  const [entry] = (await list()).entries
  if (!entry) throw new Error("no entry")
  const find = (digest: string, at = service.clock.now()) =>
    service.service.store.read(() => findLiveEntry(entry.wallet_entry_id, digest, formatInstant(at)))
  const found = await find(entry.artifact_digest)
  expect(JSON.parse(found?.subjectDigests ?? "{}")).toMatchObject({ "/currency": digestOf("USD") })
  expect([found?.product, found?.decision, found?.tokenState]).toEqual([
    "decision-gate.release-payment-to-supplier.v1",
    made.decision().payload.decision,
    null,
  ])
  expect(await find(digestOf("x"))).toBeNull()
  expect(await find(entry.artifact_digest, service.clock.now() + 31 * DAY)).toBeNull()
})

test("the worker removes what has ended, with documents and sums, and forgotten answers", async () => {
  const { store } = service.service
  const database = databaseOf(service.service.dataDirectory)
  const left = () =>
    ["wallet_entry", "wallet_document", "wallet_request"].map(
      (table) => (database.query(`SELECT count(*) AS n FROM ${table}`).get() as { n: number }).n,
    )
  expect((await purgeExpired({ store, now: () => service.clock.now() + 400 * DAY })).removed).toBeGreaterThan(10)
  expect(left()).toEqual([0, 0, 0])
  expect(
    database.query("SELECT DISTINCT entries, document_bytes FROM wallet_usage WHERE last_seq < 1000").all(),
  ).toEqual([{ entries: 0, document_bytes: 0 }])
  expect(database.query("SELECT * FROM wallet_total").all()).toEqual([
    { id: 1, entries: 0, document_bytes: 0, answers: 0 },
  ])
})

test("two processes on one directory spend a nonce and a key once", async () => {
  const second = await testServiceOn(service.directory, service.clock, { rate_limits: "off" })
  const app = routes(second.service)
  try {
    const sign = (body: unknown) =>
      signedCall(agent, { url: BASE_URL + importProofWalletArtifact.path, body, at: service.clock.now() })
    const tell = async (response: Promise<Response>) => service.told(await response)
    const bodies = Array.from({ length: 10 }, () => importOf("PROOF_CAPSULE", made.decision()))
    const told = await Promise.all(
      bodies.map(async (body) => {
        const [call, again] = [await sign(body), await sign(body)]
        return Promise.all([
          tell(service.send(asRequest(call))),
          tell(Promise.resolve(app.handle(asRequest(call)))),
          tell(Promise.resolve(app.handle(asRequest(again)))),
        ])
      }),
    )
    for (const three of told) {
      const [one, two, repeat] = three
      expect([one, two].map(({ refusal: said }) => said).sort()).toEqual(["200 ", "409 NONCE_REPLAY"])
      expect(repeat?.status).toBe(200)
      const answers = three.filter(({ status }) => status === 200).map(({ body }) => body)
      expect(answers.filter(({ replayed }) => replayed === true)).toHaveLength(1)
      expect(new Set(answers.map(({ wallet_entry_id: id }) => id)).size).toBe(1)
    }
  } finally {
    await second.service.close()
  }
})
