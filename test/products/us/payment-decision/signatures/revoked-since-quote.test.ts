/**
 * What is revoked between a quote and its payment, by this process or by another one on the same database. The paid call refuses before it
 * asks a node, although the signatures are those that the quote verified.
 */
import { afterAll, afterEach, beforeAll, expect } from "bun:test"
import type { DecisionRequest } from "../../../../../schemas/us/payment-decision.ts"
import { HOUR } from "../../../../../src/core/time.ts"
import { AGENT_ID, agentKey, enterAgent, mandateKey, ORGANIZATION_ID, testKey } from "../../../../fixtures/buyers.ts"
import { type RevocationOf, revoke, revokingProcess } from "../../../../fixtures/revocations.ts"
import { slowTests } from "../../../../fixtures/slow-tests.ts"
import { freshRequest, signedHeader } from "../../../../fixtures/test-server.ts"
import { enterDelegation, openSeller, type Seller } from "../seller.ts"

const test = slowTests(import.meta.path)

const signingAgent = `svc:agent:${"m".repeat(32)}`
const delegatedKey = testKey(signingAgent, 31)
const secondMandateKey = testKey(ORGANIZATION_ID, 32)

let seller: Seller
let other: ReturnType<typeof revokingProcess>
let delegationOfSigner: string
beforeAll(async () => {
  seller = await openSeller()
  other = revokingProcess(seller.server.database.address)
  await enterAgent(seller.server.database, Date.now() - HOUR, delegatedKey, signingAgent)
  delegationOfSigner = await enterDelegation(seller, delegatedKey, { agent_id: signingAgent, scope: ["SIGN_MANDATE"] })
  await seller.sql(
    `INSERT INTO mandate_key (organization_id, key_id, x, key_owner, state, added_at) VALUES (?1, ?2, ?3, ?4, 'ACTIVE', 't')`,
    ...[ORGANIZATION_ID, secondMandateKey.keyId, secondMandateKey.x, secondMandateKey.keyOwner],
  )
  for (const worker of seller.server.workers) await worker.stop()
})
afterAll(async () => {
  await other.close()
  await seller.close()
})
afterEach(async () => {
  for (const statement of UNDO) await seller.sql(statement)
})

const UNDO = [
  "UPDATE agent_key SET status = 'ACTIVE', until = NULL",
  "UPDATE agent SET identity_status = 'ACTIVE'",
  "UPDATE organization SET state = 'ACTIVE', revoked_at = NULL, revocation_reason = NULL",
  "UPDATE delegation SET state = 'ACTIVE', revoked_at = NULL",
  "UPDATE mandate_key SET state = 'ACTIVE', revoked_at = NULL, revoked_since = NULL, revocation_reason = NULL",
  "DELETE FROM buyer_revocation",
]

/** `signer`: the key that signed the mandate, if it is not the key that also signed the delegation. */
interface Row {
  readonly what: string
  readonly revocation: (request: DecisionRequest) => RevocationOf
  readonly code: string
  readonly signer?: typeof mandateKey
}

const ROWS: readonly Row[] = [
  {
    what: "the agent's key",
    revocation: () => ({ kind: "AGENT_KEY", subject: agentKey.keyId }),
    code: "KEY_NOT_ACTIVE",
  },
  {
    what: "the agent's key, by a rotation",
    revocation: () => ({ kind: "ROTATED_AGENT_KEY", subject: agentKey.keyId }),
    code: "KEY_NOT_ACTIVE",
  },
  { what: "the identity", revocation: () => ({ kind: "IDENTITY", subject: AGENT_ID }), code: "KEY_NOT_ACTIVE" },
  {
    what: "the organization",
    revocation: () => ({ kind: "ORGANIZATION", subject: ORGANIZATION_ID }),
    code: "BUYER_NOT_VERIFIED",
  },
  {
    what: "the delegation",
    revocation: () => ({ kind: "DELEGATION", subject: "dgn_test" }),
    code: "DELEGATION_NOT_ACTIVE",
  },
  {
    what: "the mandate key that signed mandate and delegation",
    revocation: () => ({ kind: "MANDATE_KEY", subject: mandateKey.keyId }),
    code: "DELEGATION_NOT_ACTIVE",
  },
  {
    what: "the mandate key that signed the mandate alone",
    revocation: () => ({ kind: "MANDATE_KEY", subject: secondMandateKey.keyId }),
    code: "MANDATE_SIGNATURE_INVALID",
    signer: secondMandateKey,
  },
  {
    what: "the delegated key that signed the mandate",
    revocation: () => ({ kind: "AGENT_KEY", subject: delegatedKey.keyId }),
    code: "MANDATE_SIGNATURE_INVALID",
    signer: delegatedKey,
  },
  {
    what: "the identity of the delegated key that signed the mandate",
    revocation: () => ({ kind: "IDENTITY", subject: signingAgent }),
    code: "MANDATE_SIGNATURE_INVALID",
    signer: delegatedKey,
  },
  {
    what: "the delegation of the key that signed the mandate",
    revocation: () => ({ kind: "DELEGATION", subject: delegationOfSigner }),
    code: "DELEGATION_NOT_ACTIVE",
    signer: delegatedKey,
  },
  {
    what: "the mandate",
    revocation: (request) => ({ kind: "MANDATE", subject: request.buyer_mandate.payload.mandate_id }),
    code: "MANDATE_REVOKED",
  },
]

const CASES = ROWS.flatMap((row) => (["this process", "another process"] as const).map((by) => ({ ...row, by })))

test.each(CASES)("$what, revoked by $by, buys nothing", async ({ revocation, code, signer, by }) => {
  const request = freshRequest(signer && { mandateSigner: signer })
  const header = await signedHeader(seller.server, request)
  if (by === "this process") await seller.server.store.run(() => revoke(revocation(request)))
  else await other.revoke(revocation(request))
  seller.rpc.reset()
  const refusal = await seller.refused(request, header)
  expect([refusal.status, refusal.code, seller.rpc.calls]).toEqual([403, code, []])
  for (const statement of UNDO) await seller.sql(statement)
  expect((await seller.server.post(request, header)).status).toBe(200)
})
