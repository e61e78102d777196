/** Artifacts that are not genuine, or not of this service, agent or environment, are refused with the failed check. */
import { afterAll, beforeAll, expect, test } from "bun:test"
import type { AgentExportBundle } from "../../../schemas/agent-id/export.ts"
import { digestOf } from "../../../src/core/digest.ts"
import { signedAnswer } from "../../../src/core/signer.ts"
import { formatInstant, HOUR } from "../../../src/core/time.ts"
import { testKey } from "../../fixtures/buyers.ts"
import { DECIDED_AT, issuerKey } from "../../fixtures/decision.ts"
import * as made from "./artifacts.ts"
import { edit, openWallets, uk, type Wallets } from "./wallets.ts"

let wallets: Wallets
beforeAll(async () => {
  wallets = await openWallets()
})
afterAll(() => wallets.service[Symbol.asyncDispose]())

type Make = () => unknown
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
        c.signature.key_id = made.sandboxSigner(wallets.service).keyId
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
    "a UK answer with a text for its network",
    "UK_DELIVERY",
    () =>
      edit(uk(made.gbPayment()), (c) => {
        c.answer.payment.network = "pay to DE89370400440532013000"
      }),
    "422 ARTIFACT_REJECTED PAYMENT",
  ],
  [
    "a UK answer that was charged without a settlement",
    "UK_DELIVERY",
    () =>
      edit(uk(made.gbChange()), (c) => {
        c.answer.economic_activity.settlement_created = false
      }),
    "422 ARTIFACT_REJECTED PAYMENT",
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
    () => made.receipt(wallets.service, wallets.other),
    "422 ARTIFACT_REJECTED SUBJECT_NOT_CALLER",
  ],
  [
    "a receipt of an event that is not in the log",
    "EVENT_RECEIPT",
    async () =>
      signedAnswer(wallets.service.service.keys.current(), {
        ...(await made.receipt(wallets.service, wallets.agent)).payload,
        log_index: 99,
      }),
    "422 ARTIFACT_REJECTED RECORD_DIFFERS",
  ],
  [
    "a receipt with another time",
    "EVENT_RECEIPT",
    async () =>
      edit(await made.receipt(wallets.service, wallets.agent), (c) => {
        c.payload.log_index = 99
      }),
    "422 ARTIFACT_REJECTED DIGEST",
  ],
  [
    "a status that was edited",
    "STATUS_RECORD",
    async () =>
      edit(await made.status(wallets.service, wallets.other), (c) => {
        c.payload.identity_status = "REVOKED"
      }),
    "422 ARTIFACT_REJECTED DIGEST",
  ],
  [
    "a bundle without an event",
    "EXPORT_BUNDLE",
    async () =>
      edit(wallets.bundles[1], (c) => {
        c.exported_at = formatInstant(DECIDED_AT + HOUR)
      }),
    "422 ARTIFACT_REJECTED BUNDLE_SIGNATURE",
  ],
  [
    "a bundle with a long history that somebody made, before the history is read",
    "EXPORT_BUNDLE",
    () => made.madeUpBundle(wallets.bundles[0] as AgentExportBundle, wallets.service.clock.now()),
    "422 ARTIFACT_REJECTED BUNDLE_SIGNATURE",
  ],
  [
    "a bundle of another log",
    "EXPORT_BUNDLE",
    async () =>
      edit(wallets.bundles[1], (c) => {
        c.transparency.checkpoint = c.transparency.checkpoint.replaceAll("localhost", "elsewhere")
      }),
    "422 ARTIFACT_REJECTED LOG_ORIGIN_DIFFERS",
  ],
  [
    "a registration of another agent",
    "ARTIFACT_REGISTRATION",
    () => made.registration(wallets.service, wallets.other),
    "422 ARTIFACT_REJECTED RECORD_DIFFERS",
  ],
  [
    "a registration with another payload",
    "ARTIFACT_REGISTRATION",
    async () =>
      edit(await made.registration(wallets.service, wallets.agent), (c) => {
        c.payload_digest = digestOf("x")
      }),
    "422 ARTIFACT_REJECTED RECORD_DIFFERS",
  ],
  [
    "a registration with a foreign checkpoint",
    "ARTIFACT_REGISTRATION",
    async () =>
      edit(await made.registration(wallets.service, wallets.agent), (c) => {
        c.transparency.checkpoint = "x"
      }),
    "403 PROVIDER_ISOLATION",
  ],
  [
    "a registration with a checkpoint of a smaller tree",
    "ARTIFACT_REGISTRATION",
    async () => {
      const earlier = (await made.exportBundle(wallets.service, wallets.agent)).transparency.checkpoint
      return edit(await made.registration(wallets.service, wallets.agent), (c) => {
        c.transparency.checkpoint = earlier
      })
    },
    "422 ARTIFACT_REJECTED CHECKPOINT",
  ],
  [
    "a registration with another signer's line in its checkpoint",
    "ARTIFACT_REGISTRATION",
    async () =>
      edit(await made.registration(wallets.service, wallets.agent), (c) => {
        c.transparency.checkpoint += `\u2014 somebody ${"A".repeat(92)}\n`
      }),
    "422 ARTIFACT_REJECTED CHECKPOINT",
  ],
  [
    "a proof of another address",
    "SERVICE_PROOF",
    () => made.serviceProof(wallets.service, { base_url: "https://other.example" }),
    "422 ARTIFACT_REJECTED BASE_URL",
  ],
  [
    "a proof of another agent id",
    "SERVICE_PROOF",
    () => made.serviceProof(wallets.service, { service_agent_id: wallets.other.agentId }),
    "422 ARTIFACT_REJECTED SERVICE_AGENT_ID",
  ],
  [
    "a wrapper of the sandbox in the live wallet",
    "PROOF_CAPSULE",
    () => made.sandboxArtifact(wallets.service),
    "403 ENVIRONMENT_ISOLATION",
  ],
  ["a document under another type", "STATUS_RECORD", made.decision, "422 SCHEMA_INVALID"],
]

test.each(REJECTED.map((row) => [...row] as [...(typeof REJECTED)[number]]))(
  "%s is refused",
  async (_name, type, make, refusal) => {
    const before = wallets.count("wallet_entry")
    expect((await wallets.bring(type, await make())).refusal).toBe(refusal)
    expect(wallets.count("wallet_entry")).toBe(before)
  },
)
