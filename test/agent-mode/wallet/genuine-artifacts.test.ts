/** Every kind of genuine artifact is verified and kept. */
import { afterAll, beforeAll, expect, test } from "bun:test"
import { ARTIFACT_TYPES } from "../../../schemas/agent-mode/wallet-artifact.ts"
import { databaseOf } from "../../fixtures/database-of.ts"
import * as made from "./artifacts.ts"
import { openWallets, uk, type Wallets } from "./wallets.ts"

let wallets: Wallets
beforeAll(async () => {
  wallets = await openWallets()
})
afterAll(() => wallets.service[Symbol.asyncDispose]())

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
    () => made.receipt(wallets.service, wallets.agent),
    {
      verification: { key_status: "ACTIVE", record: "MATCHES", temporal: "NO_END", subject: "OWN" },
      reuse_state: "NOT_REUSABLE",
      valid_until: null,
    },
  ],
  [
    "the status of another agent",
    "STATUS_RECORD",
    () => made.status(wallets.service, wallets.other),
    {
      verification: { key_status: "ACTIVE", record: "NOT_KEPT", temporal: "CURRENT", subject: "OTHER" },
      reuse_state: "NOT_REUSABLE",
    },
  ],
  [
    "an export bundle",
    "EXPORT_BUNDLE",
    () => wallets.bundles[0],
    { verification: { key_status: "ACTIVE", record: "NOT_KEPT", temporal: "NO_END", subject: "OWN" } },
  ],
  [
    "a paid UK payment",
    "UK_DELIVERY",
    () => uk(made.gbPayment()),
    {
      verification: { key_status: "ROTATED", record: "NOT_KEPT", temporal: "CURRENT", subject: "NONE" },
      reuse_state: "REUSABLE",
      limitations: ["VERIFIED_AT_IMPORT", "HOLDING_PROVES_NO_PURCHASE", "TOKEN_NOT_KEPT"],
    },
  ],
  ["a paid UK change", "UK_DELIVERY", () => uk(made.gbChange()), { reuse_state: "REUSABLE" }],
  [
    "a registration",
    "ARTIFACT_REGISTRATION",
    () => made.registration(wallets.service, wallets.agent),
    {
      verification: { key_status: "ACTIVE", record: "MATCHES", temporal: "NO_END", subject: "OWN" },
      limitations: ["VERIFIED_AT_IMPORT", "OUTCOMES_NOT_PROVEN", "INVITATION_NOT_KEPT"],
    },
  ],
  [
    "a service proof",
    "SERVICE_PROOF",
    () => made.serviceProof(wallets.service),
    { verification: { key_status: "ACTIVE", record: "NOT_KEPT", temporal: "CURRENT", subject: "NONE" } },
  ],
]

test("the table has every kind", () => {
  expect(new Set(GENUINE.map(([, type]) => type))).toEqual(new Set<string>(ARTIFACT_TYPES))
})

test.each(GENUINE.map((row) => [...row] as [...(typeof GENUINE)[number]]))(
  "%s is verified and kept",
  async (_name, type, make, expected) => {
    const before = wallets.count("wallet_entry")
    const told = await wallets.bring(type, await make(), { mode: "SIGNED_DOCUMENT" })
    expect(told.refusal).toBe("200 ")
    expect(told.body).toMatchObject({
      artifact_type: type,
      issuer: "svc",
      environment: "LIVE",
      replayed: false,
      ...expected,
    })
    expect(wallets.count("wallet_entry")).toBe(before + 1)
  },
)

test("a token is never kept", () => {
  const stored = databaseOf(wallets.service.service.dataDirectory).query("SELECT bytes FROM wallet_document").all() as {
    bytes: Uint8Array
  }[]
  expect(stored.length).toBeGreaterThan(5)
  const texts = stored.map(({ bytes }) => new TextDecoder().decode(bytes)).join("\n")
  expect(texts).toContain('"authorization_token":""')
  expect(texts).not.toContain("svc_at_")
  const requests = databaseOf(wallets.service.service.dataDirectory).query("SELECT * FROM wallet_request").all()
  expect(JSON.stringify(requests)).not.toContain("svc_at_")
})

test("an invitation is never kept: nobody signed it, and its address is a secret", async () => {
  const { agent, service, bring } = wallets
  const document = await made.registration(service, agent)
  const text = "an address of the holder's choice"
  const tracking = { status: "AVAILABLE", invitation: { reference: text, uri: text, bootstrap_uri: text } }
  const told = await bring("ARTIFACT_REGISTRATION", { ...document, tracking }, { mode: "SIGNED_DOCUMENT" })
  expect(told.refusal).toBe("200 ")
  const stored = databaseOf(service.service.dataDirectory)
    .query("SELECT bytes FROM wallet_document WHERE wallet_entry_id = ?")
    .get(String(told.body["wallet_entry_id"])) as { bytes: Uint8Array }
  const kept = JSON.parse(new TextDecoder().decode(stored.bytes))
  expect(kept.registration_id).toBe(document["registration_id"])
  expect(kept.tracking).toEqual({ status: "UNAVAILABLE", invitation: null })
})
