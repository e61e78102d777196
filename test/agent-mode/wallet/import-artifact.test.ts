/** What importing keeps, changes and ends, over a whole service. */
import { afterAll, beforeAll, expect, test } from "bun:test"
import { getProofWalletInventory, importProofWalletArtifact } from "../../../schemas/agent-mode/proof-wallet.ts"
import { signValue } from "../../../src/core/signer.ts"
import { DAY, formatInstant, HOUR, MINUTE } from "../../../src/core/time.ts"
import { databaseOf } from "../../fixtures/database-of.ts"
import { DECIDED_AT, issuerKey } from "../../fixtures/decision.ts"
import type { Told } from "../agent-service.ts"
import * as made from "./artifacts.ts"
import { edit, openWallets, uk, type Wallets } from "./wallets.ts"

let wallets: Wallets
beforeAll(async () => {
  wallets = await openWallets()
})
afterAll(() => wallets.service[Symbol.asyncDispose]())

test("the sandbox wallet takes wrappers only, of the sandbox key only, and never calls them reusable", async () => {
  const bringSandbox = (document: unknown, type = "PROOF_CAPSULE") =>
    wallets.bring(type, document, { environment: "SANDBOX" })
  const told = await bringSandbox(made.sandboxArtifact(wallets.service))
  expect(told.body).toMatchObject({
    environment: "SANDBOX",
    issuer: "svc:sandbox",
    reuse_state: "NOT_REUSABLE",
    limitations: ["VERIFIED_AT_IMPORT", "SYNTHETIC"],
  })
  expect((await bringSandbox(made.decision())).refusal).toBe("403 ENVIRONMENT_ISOLATION")
  expect((await bringSandbox(made.sandboxArtifact(wallets.service), "UK_DELIVERY")).refusal).toBe(
    "422 ARTIFACT_REJECTED ARTIFACT_TYPE",
  )
  expect(
    (
      await bringSandbox(
        edit(made.sandboxArtifact(wallets.service), (c) => {
          c.payload.seed = 8
        }),
      )
    ).refusal,
  ).toBe("422 ARTIFACT_REJECTED DIGEST")
  const live = { ...wallets.service.service.keys.current(), issuer: "svc:sandbox" }
  expect((await bringSandbox(made.sandboxArtifact(wallets.service, {}, live))).refusal).toBe("403 PROVIDER_ISOLATION")
  const otherIssuer = made.sandboxArtifact(wallets.service, { issuer: "other:sandbox" })
  expect((await bringSandbox(otherIssuer)).refusal).toBe("403 PROVIDER_ISOLATION")
})

test("the same key and body get the same answer, marked; another body under the key is a conflict", async () => {
  const document = made.companyCheck().capsule
  const until = formatInstant(wallets.service.clock.now() + 5 * DAY)
  const first = await wallets.bring("PROOF_CAPSULE", document, { key: "same-key-1", until })
  wallets.service.clock.set(wallets.service.clock.now() + MINUTE)
  const again = await wallets.bring("PROOF_CAPSULE", document, { key: "same-key-1", until })
  expect(again.body).toEqual({ ...first.body, replayed: true })
  const conflict = await wallets.bring("PROOF_CAPSULE", document, {
    key: "same-key-1",
    until: formatInstant(wallets.service.clock.now()),
  })
  expect(conflict.refusal).toBe("409 IDEMPOTENCY_CONFLICT")
  expect((await wallets.bring("PROOF_CAPSULE", document, { key: "same-key-1", until, as: wallets.other })).status).toBe(
    200,
  )
})

test("a known artifact keeps its entry and takes the new retention; an until that is not ahead deletes it", async () => {
  const document = made.passport()
  const first = await wallets.bring("PROOF_CAPSULE", document, { mode: "SIGNED_DOCUMENT" })
  const documents = wallets.count("wallet_document")
  const second = await wallets.bring("PROOF_CAPSULE", document, { mode: "DIGEST_ONLY" })
  expect([second.body["wallet_entry_id"], second.body["imported_at"]]).toEqual([
    first.body["wallet_entry_id"],
    first.body["imported_at"],
  ])
  expect(wallets.count("wallet_document")).toBe(documents - 1)
  await wallets.bring("PROOF_CAPSULE", document, { mode: "SIGNED_DOCUMENT" })
  expect(wallets.count("wallet_document")).toBe(documents)
  const entries = wallets.count("wallet_entry")
  const ended = await wallets.bring("PROOF_CAPSULE", document, { until: formatInstant(wallets.service.clock.now()) })
  expect(ended.body).toMatchObject({
    wallet_entry_id: first.body["wallet_entry_id"],
    next_machine_action: "ENTRY_ENDED",
  })
  expect([wallets.count("wallet_entry"), wallets.count("wallet_document")]).toEqual([entries - 1, documents - 1])
})

test("a document that only bears the digest of a known one is verified before it is stored", async () => {
  const document = made.decision()
  await wallets.bring("PROOF_CAPSULE", document, { mode: "DIGEST_ONLY" })
  const forged = edit(document, (c) => {
    c.signature.value = "A".repeat(86)
  })
  expect((await wallets.bring("PROOF_CAPSULE", forged, { mode: "SIGNED_DOCUMENT" })).refusal).toBe(
    "422 ARTIFACT_REJECTED SIGNATURE",
  )
})

test("the answer says what was verified: this document now, this document before, or not this document", async () => {
  const document = uk(made.gbPayment())
  const about = ({ body, refusal }: Told) => [refusal, (body["limitations"] as string[] | undefined)?.slice(0, -2)]
  const bring = (given: unknown, until?: string) =>
    wallets.bring("UK_DELIVERY", given, { as: wallets.other, ...(until && { until }) })
  expect(about(await bring(document))).toEqual(["200 ", ["VERIFIED_AT_IMPORT"]])
  expect(about(await bring(document))).toEqual(["200 ", ["VERIFIED_BEFORE"]])
  // The digest of the artifact is that of the answer. Another capsule beside it is another document.
  const otherCapsule = edit(document, (copy) => {
    copy.capsule.signature.value = "A".repeat(86)
  })
  expect((await bring(otherCapsule)).refusal).toBe("422 ARTIFACT_REJECTED SIGNATURE")
  const now = formatInstant(wallets.service.clock.now())
  const ended = await bring(otherCapsule, now)
  expect(about(ended)).toEqual(["200 ", ["VERIFIED_BEFORE", "THIS_DOCUMENT_NOT_VERIFIED"]])
  expect(ended.body).toMatchObject({ next_machine_action: "ENTRY_ENDED" })
  expect((await bring(otherCapsule, now)).refusal).toBe("422 ARTIFACT_REJECTED SIGNATURE")
})

test("another genuine document of a known artifact is verified and becomes that of the entry", async () => {
  const document = made.decision()
  const third = await wallets.service.enrol()
  const bring = (given: unknown) => wallets.bring("PROOF_CAPSULE", given, { as: third, mode: "SIGNED_DOCUMENT" })
  const first = await bring(document)
  expect(first.body["verification"]).toMatchObject({ key_status: "ROTATED" })
  const signature = signValue(wallets.service.service.keys.current(), document.payload)
  const again = await bring({ ...document, signature })
  expect(again.body).toMatchObject({
    wallet_entry_id: first.body["wallet_entry_id"],
    imported_at: first.body["imported_at"],
    verification: { key_status: "ACTIVE" },
    limitations: ["VERIFIED_AT_IMPORT", "HOLDING_PROVES_NO_PURCHASE"],
  })
  const database = databaseOf(wallets.service.service.dataDirectory)
  const kept = database
    .query(
      "SELECT bytes, document_bytes FROM wallet_document JOIN wallet_entry USING (wallet_entry_id) WHERE agent_id = ?1",
    )
    .all(third.agentId) as { bytes: Uint8Array; document_bytes: number }[]
  expect(kept.map(({ bytes }) => JSON.parse(new TextDecoder().decode(bytes)).signature.key_id)).toEqual([
    signature.key_id,
  ])
  const usage = database
    .query("SELECT entries, document_bytes FROM wallet_usage WHERE agent_id = ?1")
    .get(third.agentId)
  expect(usage).toEqual({ entries: 1, document_bytes: kept[0]?.document_bytes })
  expect((await bring({ ...document, signature })).body).toMatchObject({
    limitations: ["VERIFIED_BEFORE", "HOLDING_PROVES_NO_PURCHASE"],
  })
})

test("an entry of an earlier release, whose document is unknown, is verified again", async () => {
  const third = await wallets.service.enrol()
  const bring = (given: unknown) => wallets.bring("PROOF_CAPSULE", given, { as: third })
  await bring(made.decision())
  made.elsewhere(wallets.service, "UPDATE wallet_entry SET document_digest = NULL WHERE agent_id = ?1", third.agentId)
  expect((await bring(made.decision())).body).toMatchObject({
    limitations: ["VERIFIED_AT_IMPORT", "HOLDING_PROVES_NO_PURCHASE"],
  })
  expect((await bring(made.decision())).body).toMatchObject({
    limitations: ["VERIFIED_BEFORE", "HOLDING_PROVES_NO_PURCHASE"],
  })
})

test("retention ends at most 400 days ahead; expired documents are taken", async () => {
  const late = formatInstant(wallets.service.clock.now() + 400 * DAY + 1)
  expect((await wallets.bring("PROOF_CAPSULE", made.decision(), { until: late })).refusal).toBe(
    "422 RETENTION_TOO_LONG",
  )
  const now = wallets.service.clock.now()
  wallets.service.clock.set(now + 2 * HOUR)
  const told = await wallets.bring("PROOF_CAPSULE", made.decision(), { as: wallets.other })
  expect(told.body).toMatchObject({ verification: { temporal: "EXPIRED" }, reuse_state: "EXPIRED" })
  wallets.service.clock.set(now)
})

test("a revoked key counts only for what our log held before", async () => {
  const third = await wallets.service.enrol()
  const { payload, capsule_digest } = made.decision()
  const check = made.companyCheck().capsule
  const { passport } = { passport: made.passport() }
  made.enterDelivery(wallets.service, {
    answerId: payload.decision_id,
    reference: "dlv_1",
    capsuleDigest: capsule_digest,
  })
  made.enterDelivery(wallets.service, {
    answerId: "exe_2",
    reference: check.payload.delivery_id,
    capsuleDigest: check.capsule_digest,
    attachmentId: passport.payload.passport_id,
    attachmentJson: JSON.stringify(passport),
  })
  const revoke = (since: number) =>
    made.elsewhere(
      wallets.service,
      "UPDATE service_key SET status = 'REVOKED', revoked_since = ?2 WHERE key_id = ?1",
      issuerKey.keyId,
      formatInstant(since),
    )
  const all = async () =>
    (
      await Promise.all(
        [made.decision(), check, passport, uk(made.gbPayment())].map((document, i) =>
          wallets.bring(i === 3 ? "UK_DELIVERY" : "PROOF_CAPSULE", document, {
            as: third,
            until: formatInstant(wallets.service.clock.now()),
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
  // Its leaf comes while it is imported.
  const leafOf = (index: number | null) =>
    made.elsewhere(wallets.service, "UPDATE delivery SET log_index = ?1 WHERE decision_id = 'exe_2'", index)
  leafOf(null)
  made.elsewhere(
    wallets.service,
    "INSERT INTO log_pending (kind, digest, request_id) VALUES ('CAPSULE', ?1, 'exe_2')",
    check.capsule_digest,
  )
  const importing = all()
  await Bun.sleep(100)
  leafOf(7)
  made.elsewhere(wallets.service, "DELETE FROM log_pending")
  expect((await importing).slice(1, 3)).toEqual(["REVOKED_AFTER_LOGGING", "REVOKED_AFTER_LOGGING"])
  revoke(DECIDED_AT - MINUTE)
  expect(await all()).toEqual(Array(4).fill("422 ARTIFACT_REJECTED KEY_STATUS"))
  made.elsewhere(
    wallets.service,
    "UPDATE service_key SET status = 'ROTATED', revoked_since = NULL WHERE key_id = ?1",
    issuerKey.keyId,
  )
})

test("a body may have 1 MiB here, and bank data is looked for beside the document", async () => {
  expect((await wallets.bring("PROOF_CAPSULE", { pad: "x".repeat(900 * 1024) })).refusal).toBe("422 SCHEMA_INVALID")
  expect((await wallets.bring("PROOF_CAPSULE", { pad: "x".repeat(1024 * 1024) })).refusal).toBe("413 BODY_TOO_LARGE")
  expect((await wallets.bring("PROOF_CAPSULE", made.decision(), { key: "GB33BUKB20201555555555" })).refusal).toBe(
    "422 RAW_BANK_DATA_REJECTED",
  )
})

test("a key that is revoked between the check and the act changes nothing", async () => {
  const fourth = await wallets.service.enrol()
  const { store } = wallets.service.service
  const run = store.run.bind(store)
  const body = wallets.requestOf("PROOF_CAPSULE", made.decision())
  store.run = (async (unit: never) => {
    store.run = run
    made.elsewhere(
      wallets.service,
      "UPDATE agent_key SET status = 'REVOKED', until = ?2 WHERE key_id = ?1",
      fourth.operational.keyId,
      formatInstant(wallets.service.clock.now()),
    )
    return run(unit)
  }) as typeof store.run
  const told = await wallets.service.call(fourth, importProofWalletArtifact, body)
  expect(told.refusal).toBe("403 AGENT_SIGNATURE_INVALID KEY_NOT_ACCEPTED")
  const own = databaseOf(wallets.service.service.dataDirectory)
    .query("SELECT count(*) AS n FROM wallet_entry WHERE agent_id = ?1")
    .get(fourth.agentId)
  expect(own).toEqual({ n: 0 })
})

test("imports write no row of a payment or a delivery, and open no connection", async () => {
  const tables = ["decision_request", "payment_attempt", "delivery", "entitlement", "authority_hold", "answer_record"]
  const before = tables.map(wallets.count)
  const { fetch } = globalThis
  let calls = 0
  globalThis.fetch = Object.assign(async () => {
    calls++
    throw new Error("a call to the network")
  }, fetch)
  try {
    const told = await wallets.bring("PROOF_CAPSULE", made.decision(), { as: wallets.other })
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
  expect([tables.map(wallets.count), calls]).toEqual([before, 0])
})

test("an agent that holds the answer of somebody else hears at the import and in the list that it proves no purchase", async () => {
  const stranger = await wallets.service.enrol()
  const { body } = await wallets.bring("PROOF_CAPSULE", made.decision(), { as: stranger })
  expect(body).toMatchObject({
    verification: { subject: "OTHER" },
    limitations: ["VERIFIED_AT_IMPORT", "HOLDING_PROVES_NO_PURCHASE"],
  })
  const page = await wallets.service.call(stranger, getProofWalletInventory, {
    schema_version: "1.0.0",
    contract_version: "1.0.0",
    environment: "LIVE",
    filter: { artifact_types: [], validity: "ANY", issuer: null },
    page: { limit: 10, cursor: null },
  })
  expect(page.body).toMatchObject({ entries: [{ artifact_type: "PROOF_CAPSULE" }] })
  expect(page.body["limitations"]).toContain("HOLDING_PROVES_NO_PURCHASE")
})
