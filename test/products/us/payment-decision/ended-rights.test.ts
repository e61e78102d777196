/** A right that ends between the quote and its payment, in this process or in another one, buys nothing. */
import { afterAll, beforeAll, describe, expect } from "bun:test"
import { eq, inArray } from "drizzle-orm"
import { changed, type Store, write } from "../../../../src/store/engine/unit.ts"
import { AGENT_ID, agentKey, mandateKey, ORGANIZATION_ID } from "../../../fixtures/buyers.ts"
import { slowTests } from "../../../fixtures/slow-tests.ts"
import { freshRequest, signedHeader } from "../../../fixtures/test-server.ts"
import { newSupplier, raiseTolerance } from "./deliveries.ts"
import { openSeller, type Problem, type Seller } from "./seller.ts"

const test = slowTests(import.meta.path)

let seller: Seller
let beside: Store
beforeAll(async () => {
  seller = await openSeller()
  await raiseTolerance(seller)
  for (const worker of seller.server.workers) await worker.stop()
  beside = (await seller.server.database.open()).store
})
afterAll(async () => {
  await beside.close()
  await seller.close()
})

const MANDATE_ID = "mandate-that-ends"
const NONCE = "nonce-that-is-used-000001"
const AT = "2026-01-01T00:00:00.000Z"
const LATER = "2099-01-01T00:00:00.000Z"

/** What ends the right, and what restores it. */
type Row = readonly [code: string, end: ReturnType<typeof write>, restore: ReturnType<typeof write>]

const ofOrganization = (state: "ACTIVE" | "REVOKED", validUntil = LATER) =>
  write((db, { organization: t }) =>
    db.update(t).set({
      state,
      validUntil,
      revokedAt: state === "ACTIVE" ? null : AT,
      revocationReason: state === "ACTIVE" ? null : "left",
    }),
  )
const ofDelegation = (state: "ACTIVE" | "REVOKED", maxPaymentAmount = "1000000", validUntil = LATER) =>
  write((db, { delegation: t }) =>
    db.update(t).set({ state, maxPaymentAmount, validUntil, revokedAt: state === "ACTIVE" ? null : AT }),
  )
const ofAgentKey = (status: "ACTIVE" | "ROTATED" | "REVOKED") =>
  write((db, { agentKey: t }) =>
    db
      .update(t)
      .set({ status, until: status === "ACTIVE" ? null : LATER })
      .where(eq(t.keyId, agentKey.keyId)),
  )
const ofIdentity = (identityStatus: "ACTIVE" | "REVOKED") =>
  write((db, { agent: t }) => db.update(t).set({ identityStatus }).where(eq(t.agentId, AGENT_ID)))
const ofMandateKey = (state: "ACTIVE" | "REVOKED") =>
  write((db, { mandateKey: t }) =>
    db.update(t).set({
      state,
      revokedAt: state === "ACTIVE" ? null : AT,
      revokedSince: state === "ACTIVE" ? null : LATER,
      revocationReason: state === "ACTIVE" ? null : "lost",
    }),
  )
const revokeMandate = write((db, { buyerRevocation: t }) =>
  db.insert(t).values({
    organizationId: ORGANIZATION_ID,
    kind: "MANDATE",
    subjectId: MANDATE_ID,
    contentDigest: "d",
    document: "{}",
    answer: "{}",
    signedByKeyId: mandateKey.keyId,
    revokedAt: AT,
  }),
)
const otherRequest = write((db, { decisionRequest: t }) =>
  db.insert(t).values({
    id: "drq_other",
    product: "p",
    scope: "s",
    idempotencyKey: "k",
    requestDigest: "d",
    bodyDigest: "d",
    requestJson: "{}",
    state: "DELIVERED",
    createdAt: AT,
    updatedAt: AT,
  }),
)
const takeHold = (kind: "MANDATE_ID" | "MANDATE_NONCE", value: string, spent: number) =>
  write((db, { authorityHold: t }) =>
    db.insert(t).values({ ownerId: ORGANIZATION_ID, kind, value, requestId: "drq_other", spent, hasAttempt: 1 }),
  )
const dropHolds = write((db, { authorityHold: t }) => db.delete(t).where(eq(t.requestId, "drq_other")))

const RIGHTS: Readonly<Record<string, Row>> = {
  "the agent's key, rotated": ["KEY_NOT_ACTIVE", ofAgentKey("ROTATED"), ofAgentKey("ACTIVE")],
  "the agent's key, revoked": ["KEY_NOT_ACTIVE", ofAgentKey("REVOKED"), ofAgentKey("ACTIVE")],
  "the identity": ["KEY_NOT_ACTIVE", ofIdentity("REVOKED"), ofIdentity("ACTIVE")],
  "the organization": ["BUYER_NOT_VERIFIED", ofOrganization("REVOKED"), ofOrganization("ACTIVE")],
  "its verification": ["BUYER_NOT_VERIFIED", ofOrganization("ACTIVE", AT), ofOrganization("ACTIVE")],
  "the delegation, revoked": ["DELEGATION_NOT_ACTIVE", ofDelegation("REVOKED"), ofDelegation("ACTIVE")],
  "the delegation, ended": ["DELEGATION_NOT_ACTIVE", ofDelegation("ACTIVE", "1000000", AT), ofDelegation("ACTIVE")],
  "the delegation, for less": ["DELEGATION_EXCEEDED", ofDelegation("ACTIVE", "1"), ofDelegation("ACTIVE")],
  // It signed the delegation too.
  "the mandate's key": ["DELEGATION_NOT_ACTIVE", ofMandateKey("REVOKED"), ofMandateKey("ACTIVE")],
  "the mandate, revoked": [
    "MANDATE_REVOKED",
    revokeMandate,
    write((db, { buyerRevocation: t }) => db.delete(t).where(eq(t.subjectId, MANDATE_ID))),
  ],
  "the mandate, used": ["MANDATE_ALREADY_USED", takeHold("MANDATE_ID", MANDATE_ID, 1), dropHolds],
  "the mandate's nonce, held": ["DECISION_IN_PROGRESS", takeHold("MANDATE_NONCE", NONCE, 0), dropHolds],
}

const CASES = Object.entries(RIGHTS).flatMap(([right, row]) =>
  (["this process", "another process"] as const).map((process) => [right, process, row] as const),
)

describe("a right that ends", () => {
  beforeAll(async () => {
    await seller.server.store.run(() => changed(otherRequest))
  })

  /** A quoted request with its signed payment. Its mandate and nonce are those of the rows that name one. */
  async function quoted([code]: Row) {
    const isNamed = code.startsWith("MANDATE_") || code === "DECISION_IN_PROGRESS"
    const mandate = isNamed ? { mandate_id: MANDATE_ID, nonce: NONCE } : {}
    const request = freshRequest({ request: { supplier: newSupplier() }, mandate })
    return { request, header: await signedHeader(seller.server, request) }
  }
  const writerOf = (process: "this process" | "another process") =>
    process === "this process" ? seller.server.store : beside
  /** Frees the mandate for the next row. */
  const forget = write((db, { authorityHold: t }) => db.delete(t).where(inArray(t.value, [MANDATE_ID, NONCE])))

  test.each(CASES)("%s, by %s before the paid call: no node is asked", async (_, process, row) => {
    const [code, end, restore] = row
    const { request, header } = await quoted(row)
    const writer = writerOf(process)
    expect(await writer.run(() => changed(end))).toBeGreaterThan(0)
    const queries = seller.rpc.calls.length
    const refusal = await seller.refused(request, header)
    expect([refusal.code, seller.rpc.calls.length]).toEqual([code, queries])
    await writer.run(() => changed(restore))
    expect((await seller.server.post(request, header)).status).toBe(200)
    await writer.run(() => changed(forget))
  })

  test.each(CASES)("%s, by %s while a node verifies the payment", async (_, process, row) => {
    const [code, end, restore] = row
    const { request, header } = await quoted(row)
    const writer = writerOf(process)
    const before = await seller.state()
    let ended = null as Promise<number> | null
    seller.rpc.fault("*", {
      get hold() {
        ended ??= writer.run(() => changed(end))
        return ended
      },
    })
    const answer = await seller.server.post(request, header)
    seller.rpc.fault("*", null)
    expect([((await ended) ?? 0) > 0, ((await answer.json()) as Problem).code]).toEqual([true, code])
    await writer.run(() => changed(restore))
    expect(await seller.state()).toEqual(before)
    expect((await seller.server.post(request, header)).status).toBe(200)
    await writer.run(() => changed(forget))
  })
})
