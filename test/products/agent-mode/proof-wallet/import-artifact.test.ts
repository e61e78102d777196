/** Imports of every kind, genuine and not, into a whole service. */
import { afterAll, beforeAll, expect, test } from "bun:test"
import type { AgentExportBundle } from "../../../../schemas/agent-id/export.ts"
import { importProofWalletArtifact } from "../../../../schemas/agent-mode/proof-wallet.ts"
import { ARTIFACT_TYPES } from "../../../../schemas/agent-mode/wallet-artifact.ts"
import { digestOf } from "../../../../src/core/digest.ts"
import { signedAnswer } from "../../../../src/core/signer.ts"
import { DAY, formatInstant, HOUR, MINUTE } from "../../../../src/core/time.ts"
import type { TestAgent } from "../../../fixtures/agent.ts"
import { testKey } from "../../../fixtures/buyers.ts"
import { DECIDED_AT, issuerKey } from "../../../fixtures/decision.ts"
import { type AgentService, agentService, type Told } from "../agent-service.ts"
import type { SigningChanges } from "../signed-calls.ts"
import * as made from "./artifacts.ts"

let service: AgentService
let agent: TestAgent
let other: TestAgent
let bundles: AgentExportBundle[] = []
let serial = 0
beforeAll(async () => {
  service = await agentService()
  agent = await service.enrol()
  other = await service.enrol()
  bundles = [await made.exportBundle(service, agent), await made.exportBundle(service, other)]
  // Not in the history of the service's keys, so later bundles are no longer consistent.
  made.adoptIssuer(service)
  service.clock.set(DECIDED_AT + 10 * MINUTE)
})
afterAll(() => service[Symbol.asyncDispose]())

interface Wanted {
  readonly environment?: "LIVE" | "SANDBOX"
  readonly key?: string
  readonly mode?: "DIGEST_ONLY" | "SIGNED_DOCUMENT"
  readonly until?: string
  readonly as?: TestAgent
  readonly changes?: SigningChanges
}

const requestOf = (type: string, document: unknown, wanted: Wanted = {}) => ({
  schema_version: "1.0.0",
  contract_version: "1.0.0",
  environment: wanted.environment ?? "LIVE",
  idempotency_key: wanted.key ?? `import-${++serial}-key`,
  artifact: { artifact_type: type, document },
  retention: {
    mode: wanted.mode ?? "DIGEST_ONLY",
    until: wanted.until ?? formatInstant(service.clock.now() + 30 * DAY),
  },
})
const bring = (type: string, document: unknown, wanted: Wanted = {}): Promise<Told> =>
  service.call(wanted.as ?? agent, importProofWalletArtifact, requestOf(type, document, wanted), wanted.changes)
const count = (table: string) =>
  (service.service.dataDirectory.database.query(`SELECT count(*) AS n FROM ${table}`).get() as { n: number }).n
const uk = ({ copies, capsule }: ReturnType<typeof made.gbPayment>) => ({ answer: made.parsed(copies.paid), capsule })

type Make = () => unknown
const GENUINE: readonly (readonly [name: string, type: string, make: Make, expected: object])[] = [
  [
    "the capsule of a Payment Decision",
    "PROOF_CAPSULE",
    made.decision,
    {
      verification: { key_status: "ROTATED", record: "NOT_KEPT", temporal: "CURRENT", subject: "OTHER" },
      reuse_state: "REUSABLE",
    },
  ],
  [
    "the capsule of another product",
    "PROOF_CAPSULE",
    () => made.companyCheck().capsule,
    {
      verification: { key_status: "ROTATED", record: "NOT_KEPT", temporal: "CURRENT", subject: "NONE" },
      reuse_state: "REUSABLE",
    },
  ],
  [
    "a company passport",
    "PROOF_CAPSULE",
    made.passport,
    {
      verification: { key_status: "ROTATED", record: "NOT_KEPT", temporal: "CURRENT", subject: "NONE" },
      reuse_state: "REUSABLE",
    },
  ],
  [
    "a receipt of the own enrolment",
    "EVENT_RECEIPT",
    () => made.receipt(service, agent),
    {
      verification: { key_status: "ACTIVE", record: "MATCHES", temporal: "NO_END", subject: "OWN" },
      reuse_state: "NOT_REUSABLE",
      valid_until: null,
    },
  ],
  [
    "the status of another agent",
    "STATUS_RECORD",
    () => made.status(service, other),
    {
      verification: { key_status: "ACTIVE", record: "NOT_KEPT", temporal: "CURRENT", subject: "OTHER" },
      reuse_state: "NOT_REUSABLE",
    },
  ],
  [
    "an export bundle",
    "EXPORT_BUNDLE",
    () => bundles[0],
    { verification: { key_status: "ACTIVE", record: "NOT_KEPT", temporal: "NO_END", subject: "OWN" } },
  ],
  [
    "a paid UK payment",
    "UK_DELIVERY",
    () => uk(made.gbPayment()),
    {
      verification: { key_status: "ROTATED", record: "NOT_KEPT", temporal: "CURRENT", subject: "NONE" },
      reuse_state: "REUSABLE",
      limitations: ["VERIFIED_AT_IMPORT", "TOKEN_NOT_KEPT"],
    },
  ],
  ["a paid UK change", "UK_DELIVERY", () => uk(made.gbChange()), { reuse_state: "REUSABLE" }],
  [
    "a registration",
    "ARTIFACT_REGISTRATION",
    () => made.registration(service, agent),
    { verification: { key_status: "ACTIVE", record: "MATCHES", temporal: "NO_END", subject: "OWN" } },
  ],
  [
    "a service proof",
    "SERVICE_PROOF",
    () => made.serviceProof(service),
    { verification: { key_status: "ACTIVE", record: "NOT_KEPT", temporal: "CURRENT", subject: "NONE" } },
  ],
]

test("the table has every kind", () => {
  expect(new Set(GENUINE.map(([, type]) => type))).toEqual(new Set<string>(ARTIFACT_TYPES))
})

test.each(GENUINE.map((row) => [...row] as [...(typeof GENUINE)[number]]))(
  "%s is verified and kept",
  async (_name, type, make, expected) => {
    const before = count("wallet_entry")
    const told = await bring(type, await make(), { mode: "SIGNED_DOCUMENT" })
    expect(told.refusal).toBe("200 ")
    expect(told.body).toMatchObject({
      artifact_type: type,
      issuer: "svc",
      environment: "LIVE",
      replayed: false,
      ...expected,
    })
    expect(count("wallet_entry")).toBe(before + 1)
  },
)

test("a token is never kept", () => {
  const stored = service.service.dataDirectory.database.query("SELECT bytes FROM wallet_document").all() as {
    bytes: Uint8Array
  }[]
  expect(stored.length).toBeGreaterThan(5)
  const texts = stored.map(({ bytes }) => new TextDecoder().decode(bytes)).join("\n")
  expect(texts).toContain('"authorization_token":""')
  expect(texts).not.toContain("svc_at_")
  const requests = service.service.dataDirectory.database.query("SELECT * FROM wallet_request").all()
  expect(JSON.stringify(requests)).not.toContain("svc_at_")
})

// biome-ignore lint/suspicious/noExplicitAny: edits of documents of many kinds.
type Any = any
const edit = <T>(document: T, change: (copy: Any) => void): T => {
  const copy = structuredClone(document)
  change(copy)
  return copy
}
const foreign = testKey("svc", 77)
const REJECTED: readonly (readonly [name: string, type: string, make: Make, refusal: string])[] = [
  [
    "a capsule whose decision was edited",
    "PROOF_CAPSULE",
    () =>
      edit(made.decision(), (c) => {
        c.payload.decision = "BLOCK"
      }),
    "422 ARTIFACT_REJECTED DIGEST",
  ],
  [
    "the same with its digest",
    "PROOF_CAPSULE",
    () =>
      edit(made.decision(), (c) => {
        c.payload.amount = "1.00"
        c.capsule_digest = digestOf(c.payload)
      }),
    "422 ARTIFACT_REJECTED SIGNATURE",
  ],
  [
    "a capsule from before its key",
    "PROOF_CAPSULE",
    () => {
      const { payload } = made.decision()
      const early = { ...payload, issued_at: "2026-01-01T00:00:00.000Z" }
      const { digest, ...rest } = signedAnswer(issuerKey, early)
      return { ...rest, capsule_digest: digest }
    },
    "422 ARTIFACT_REJECTED KEY_WINDOW",
  ],
  [
    "a capsule with an unknown member",
    "PROOF_CAPSULE",
    () =>
      edit(made.decision(), (c) => {
        c.payload.note = "x"
      }),
    "422 SCHEMA_INVALID",
  ],
  [
    "a live capsule in a test directory",
    "PROOF_CAPSULE",
    () =>
      edit(made.decision(), (c) => {
        c.payload.environment = "live"
      }),
    "403 ENVIRONMENT_ISOLATION",
  ],
  [
    "a capsule of another issuer",
    "PROOF_CAPSULE",
    () =>
      edit(made.decision(), (c) => {
        c.payload.issuer = "other"
        c.signature.issuer = "other"
      }),
    "403 PROVIDER_ISOLATION",
  ],
  [
    "a capsule of an unknown key",
    "PROOF_CAPSULE",
    () =>
      edit(made.decision(), (c) => {
        c.signature.key_id = foreign.keyId
      }),
    "403 PROVIDER_ISOLATION",
  ],
  [
    "a capsule signed by the sandbox key",
    "PROOF_CAPSULE",
    () =>
      edit(made.decision(), (c) => {
        c.signature.key_id = made.sandboxSigner(service).keyId
      }),
    "403 PROVIDER_ISOLATION",
  ],
  [
    "a passport of another company",
    "PROOF_CAPSULE",
    () =>
      edit(made.passport(), (c) => {
        c.payload.company.legal_name = "Other LLC"
      }),
    "422 ARTIFACT_REJECTED DIGEST",
  ],
  [
    "a UK answer with another amount",
    "UK_DELIVERY",
    () =>
      edit(uk(made.gbPayment()), (c) => {
        c.answer.result.amount = "9.99"
      }),
    "422 ARTIFACT_REJECTED CORE_DIGEST",
  ],
  [
    "a UK answer that was not charged",
    "UK_DELIVERY",
    () =>
      edit(uk(made.gbPayment()), (c) => {
        c.answer.economic_activity.charged = false
      }),
    "422 ARTIFACT_REJECTED NOT_CHARGED",
  ],
  [
    "a UK answer with the capsule of another",
    "UK_DELIVERY",
    () => ({ ...uk(made.gbPayment()), capsule: made.gbChange().capsule }),
    "422 ARTIFACT_REJECTED CORE_DIGEST",
  ],
  [
    "a receipt of another agent",
    "EVENT_RECEIPT",
    () => made.receipt(service, other),
    "422 ARTIFACT_REJECTED SUBJECT_NOT_CALLER",
  ],
  [
    "a receipt of an event that is not in the log",
    "EVENT_RECEIPT",
    async () =>
      signedAnswer(service.service.keys.current(), { ...(await made.receipt(service, agent)).payload, log_index: 99 }),
    "422 ARTIFACT_REJECTED RECORD_DIFFERS",
  ],
  [
    "a receipt with another time",
    "EVENT_RECEIPT",
    async () =>
      edit(await made.receipt(service, agent), (c) => {
        c.payload.log_index = 99
      }),
    "422 ARTIFACT_REJECTED DIGEST",
  ],
  [
    "a status that was edited",
    "STATUS_RECORD",
    async () =>
      edit(await made.status(service, other), (c) => {
        c.payload.identity_status = "REVOKED"
      }),
    "422 ARTIFACT_REJECTED DIGEST",
  ],
  [
    "a bundle without an event",
    "EXPORT_BUNDLE",
    async () =>
      edit(bundles[1], (c) => {
        c.exported_at = formatInstant(DECIDED_AT + HOUR)
      }),
    "422 ARTIFACT_REJECTED BUNDLE_SIGNATURE",
  ],
  [
    "a bundle of another log",
    "EXPORT_BUNDLE",
    async () =>
      edit(bundles[1], (c) => {
        c.transparency.checkpoint = c.transparency.checkpoint.replaceAll("localhost", "elsewhere")
      }),
    "422 ARTIFACT_REJECTED LOG_ORIGIN_DIFFERS",
  ],
  [
    "a registration of another agent",
    "ARTIFACT_REGISTRATION",
    () => made.registration(service, other),
    "422 ARTIFACT_REJECTED RECORD_DIFFERS",
  ],
  [
    "a registration with another payload",
    "ARTIFACT_REGISTRATION",
    async () =>
      edit(await made.registration(service, agent), (c) => {
        c.payload_digest = digestOf("x")
      }),
    "422 ARTIFACT_REJECTED RECORD_DIFFERS",
  ],
  [
    "a registration with a foreign checkpoint",
    "ARTIFACT_REGISTRATION",
    async () =>
      edit(await made.registration(service, agent), (c) => {
        c.transparency.checkpoint = "x"
      }),
    "403 PROVIDER_ISOLATION",
  ],
  [
    "a proof of another address",
    "SERVICE_PROOF",
    () => made.serviceProof(service, { base_url: "https://other.example" }),
    "422 ARTIFACT_REJECTED BASE_URL",
  ],
  [
    "a proof of another agent id",
    "SERVICE_PROOF",
    () => made.serviceProof(service, { service_agent_id: other.agentId }),
    "422 ARTIFACT_REJECTED SERVICE_AGENT_ID",
  ],
  [
    "a wrapper of the sandbox in the live wallet",
    "PROOF_CAPSULE",
    () => made.sandboxArtifact(service),
    "403 ENVIRONMENT_ISOLATION",
  ],
  ["a document under another type", "STATUS_RECORD", made.decision, "422 SCHEMA_INVALID"],
]

test.each(REJECTED.map((row) => [...row] as [...(typeof REJECTED)[number]]))(
  "%s is refused",
  async (_name, type, make, refusal) => {
    const before = count("wallet_entry")
    expect((await bring(type, await make())).refusal).toBe(refusal)
    expect(count("wallet_entry")).toBe(before)
  },
)

test("the sandbox wallet takes wrappers only, of the sandbox key only, and never calls them reusable", async () => {
  const bringSandbox = (document: unknown, type = "PROOF_CAPSULE") => bring(type, document, { environment: "SANDBOX" })
  const told = await bringSandbox(made.sandboxArtifact(service))
  expect(told.body).toMatchObject({
    environment: "SANDBOX",
    issuer: "svc:sandbox",
    reuse_state: "NOT_REUSABLE",
    limitations: ["VERIFIED_AT_IMPORT", "SYNTHETIC"],
  })
  expect((await bringSandbox(made.decision())).refusal).toBe("403 ENVIRONMENT_ISOLATION")
  expect((await bringSandbox(made.sandboxArtifact(service), "UK_DELIVERY")).refusal).toBe(
    "422 ARTIFACT_REJECTED ARTIFACT_TYPE",
  )
  expect(
    (
      await bringSandbox(
        edit(made.sandboxArtifact(service), (c) => {
          c.payload.seed = 8
        }),
      )
    ).refusal,
  ).toBe("422 ARTIFACT_REJECTED DIGEST")
  const live = { ...service.service.keys.current(), issuer: "svc:sandbox" }
  expect((await bringSandbox(made.sandboxArtifact(service, {}, live))).refusal).toBe("403 PROVIDER_ISOLATION")
  const otherIssuer = made.sandboxArtifact(service, { issuer: "other:sandbox" })
  expect((await bringSandbox(otherIssuer)).refusal).toBe("403 PROVIDER_ISOLATION")
})

test("the same key and body get the same answer, marked; another body under the key is a conflict", async () => {
  const document = made.companyCheck().capsule
  const until = formatInstant(service.clock.now() + 5 * DAY)
  const first = await bring("PROOF_CAPSULE", document, { key: "same-key-1", until })
  service.clock.set(service.clock.now() + MINUTE)
  const again = await bring("PROOF_CAPSULE", document, { key: "same-key-1", until })
  expect(again.body).toEqual({ ...first.body, replayed: true })
  const conflict = await bring("PROOF_CAPSULE", document, {
    key: "same-key-1",
    until: formatInstant(service.clock.now()),
  })
  expect(conflict.refusal).toBe("409 IDEMPOTENCY_CONFLICT")
  expect((await bring("PROOF_CAPSULE", document, { key: "same-key-1", until, as: other })).status).toBe(200)
})

test("a known artifact keeps its entry and takes the new retention; an until that is not ahead deletes it", async () => {
  const document = made.passport()
  const first = await bring("PROOF_CAPSULE", document, { mode: "SIGNED_DOCUMENT" })
  const documents = count("wallet_document")
  const second = await bring("PROOF_CAPSULE", document, { mode: "DIGEST_ONLY" })
  expect([second.body["wallet_entry_id"], second.body["imported_at"]]).toEqual([
    first.body["wallet_entry_id"],
    first.body["imported_at"],
  ])
  expect(count("wallet_document")).toBe(documents - 1)
  await bring("PROOF_CAPSULE", document, { mode: "SIGNED_DOCUMENT" })
  expect(count("wallet_document")).toBe(documents)
  const entries = count("wallet_entry")
  const ended = await bring("PROOF_CAPSULE", document, { until: formatInstant(service.clock.now()) })
  expect(ended.body).toMatchObject({
    wallet_entry_id: first.body["wallet_entry_id"],
    next_machine_action: "ENTRY_ENDED",
  })
  expect([count("wallet_entry"), count("wallet_document")]).toEqual([entries - 1, documents - 1])
})

test("a document that only bears the digest of a known one is verified before it is stored", async () => {
  const document = made.decision()
  await bring("PROOF_CAPSULE", document, { mode: "DIGEST_ONLY" })
  const forged = edit(document, (c) => {
    c.signature.value = "A".repeat(86)
  })
  expect((await bring("PROOF_CAPSULE", forged, { mode: "SIGNED_DOCUMENT" })).refusal).toBe(
    "422 ARTIFACT_REJECTED SIGNATURE",
  )
})

test("retention ends at most 400 days ahead; expired documents are taken", async () => {
  const late = formatInstant(service.clock.now() + 400 * DAY + 1)
  expect((await bring("PROOF_CAPSULE", made.decision(), { until: late })).refusal).toBe("422 RETENTION_TOO_LONG")
  const now = service.clock.now()
  service.clock.set(now + 2 * HOUR)
  const told = await bring("PROOF_CAPSULE", made.decision(), { as: other })
  expect(told.body).toMatchObject({ verification: { temporal: "EXPIRED" }, reuse_state: "EXPIRED" })
  service.clock.set(now)
})

test("a revoked key counts only for what our log held before", async () => {
  const third = await service.enrol()
  const { payload, capsule_digest } = made.decision()
  const check = made.companyCheck().capsule
  const { passport } = { passport: made.passport() }
  made.enterDelivery(service, { answerId: payload.decision_id, reference: "dlv_1", capsuleDigest: capsule_digest })
  made.enterDelivery(service, {
    answerId: "exe_2",
    reference: check.payload.delivery_id,
    capsuleDigest: check.capsule_digest,
    attachmentId: passport.payload.passport_id,
    attachmentJson: JSON.stringify(passport),
  })
  const revoke = (since: number) =>
    made.elsewhere(
      service,
      "UPDATE service_key SET status = 'REVOKED', revoked_since = ?2 WHERE key_id = ?1",
      issuerKey.keyId,
      formatInstant(since),
    )
  const all = async () =>
    (
      await Promise.all(
        [made.decision(), check, passport, uk(made.gbPayment())].map((document, i) =>
          bring(i === 3 ? "UK_DELIVERY" : "PROOF_CAPSULE", document, {
            as: third,
            until: formatInstant(service.clock.now()),
          }),
        ),
      )
    ).map(({ refusal, body }) => (body["verification"] as { key_status?: string } | undefined)?.key_status ?? refusal)
  expect(await all()).toEqual(["ROTATED", "ROTATED", "ROTATED", "ROTATED"])
  revoke(DECIDED_AT + MINUTE)
  expect(await all()).toEqual([
    "REVOKED_AFTER_LOGGING",
    "REVOKED_AFTER_LOGGING",
    "REVOKED_AFTER_LOGGING",
    "422 ARTIFACT_REJECTED KEY_STATUS",
  ])
  revoke(DECIDED_AT - MINUTE)
  expect(await all()).toEqual(Array(4).fill("422 ARTIFACT_REJECTED KEY_STATUS"))
  made.elsewhere(
    service,
    "UPDATE service_key SET status = 'ROTATED', revoked_since = NULL WHERE key_id = ?1",
    issuerKey.keyId,
  )
})

test("a body may have 1 MiB here, and bank data is looked for beside the document", async () => {
  expect((await bring("PROOF_CAPSULE", { pad: "x".repeat(900 * 1024) })).refusal).toBe("422 SCHEMA_INVALID")
  expect((await bring("PROOF_CAPSULE", { pad: "x".repeat(1024 * 1024) })).refusal).toBe("413 BODY_TOO_LARGE")
  expect((await bring("PROOF_CAPSULE", made.decision(), { key: "GB33BUKB20201555555555" })).refusal).toBe(
    "422 RAW_BANK_DATA_REJECTED",
  )
})

test("a key that is revoked between the check and the act changes nothing", async () => {
  const fourth = await service.enrol()
  const { store } = service.service
  const run = store.run.bind(store)
  const body = requestOf("PROOF_CAPSULE", made.decision())
  store.run = (async (unit: never) => {
    store.run = run
    made.elsewhere(
      service,
      "UPDATE agent_key SET status = 'REVOKED', until = ?2 WHERE key_id = ?1",
      fourth.operational.keyId,
      formatInstant(service.clock.now()),
    )
    return run(unit)
  }) as typeof store.run
  const told = await service.call(fourth, importProofWalletArtifact, body)
  expect(told.refusal).toBe("403 AGENT_SIGNATURE_INVALID KEY_NOT_ACCEPTED")
  const own = service.service.dataDirectory.database
    .query("SELECT count(*) AS n FROM wallet_entry WHERE agent_id = ?1")
    .get(fourth.agentId)
  expect(own).toEqual({ n: 0 })
})

test("imports write no row of a payment or a delivery, and open no connection", async () => {
  const tables = ["decision_request", "payment_attempt", "delivery", "entitlement", "authority_hold", "answer_record"]
  const before = tables.map(count)
  const { fetch } = globalThis
  let calls = 0
  globalThis.fetch = Object.assign(async () => {
    calls++
    throw new Error("a call to the network")
  }, fetch)
  try {
    const told = await bring("PROOF_CAPSULE", made.decision(), { as: other })
    expect(told.body["effects"]).toEqual({
      external_source_calls: 0,
      charged: false,
      decision_created: false,
      delivery_created: false,
      reservation_created: false,
    })
  } finally {
    globalThis.fetch = fetch
  }
  expect([tables.map(count), calls]).toEqual([before, 0])
})
