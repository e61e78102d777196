/** Buyer organizations, each with an agent and a limited delegation, added before a run with the rows that the routes would write. */
import { createHash } from "node:crypto"
import { keyFromSeed } from "../../src/core/ed25519.ts"
import { keyIdOf } from "../../src/core/jwk.ts"
import { keyOwner } from "../../src/core/key-owner.ts"
import { HOUR } from "../../src/core/time.ts"
import { insertDelegation } from "../../src/store/buyers/delegations.ts"
import { delegationContent, enterAgent, enterOrganization, signedDelegation, type TestKey } from "../fixtures/buyers.ts"
import { ORIGIN } from "../fixtures/test-server.ts"
import type { Entered } from "./database/simulated-database.ts"

/** The amount of one decision, see {@link AMOUNT}. */
export const AMOUNT = "12500.00"
/** Decisions that a delegation's total allows. */
export const DECISIONS_MAX = 24
/** Purchases that share an organization: a few more than its delegation allows. */
export const PURCHASES_EACH = 60

/** An organization without purchases before the end of a run. */
export const LAST_ORGANIZATION = 1_000

/** Jobs that share an organization: a few more than its delegation allows, and some are not bought. */
export const JOBS_EACH = 28
/** The first organization that buys by jobs. */
export const FIRST_JOB_ORGANIZATION = 2_000

export interface Organization {
  readonly organizationId: string
  readonly agentId: string
  readonly agent: TestKey
  readonly mandateKey: TestKey
  readonly delegationId: string
}

const made = new Map<number, Organization>()

/** The same index always gives the same organization. */
export function organization(index: number): Organization {
  const known = made.get(index)
  if (known) return known
  const digest = (text: string) => createHash("sha256").update(`simulated ${text} ${index}`)
  const key = (issuer: string, name: string): TestKey => {
    const { privateKey, x } = keyFromSeed(new Uint8Array(digest(name).digest()))
    return { issuer, keyId: keyIdOf(x), privateKey, x, keyOwner: keyOwner(x) }
  }
  const organizationId = `org:simulated:${index}`
  const agentId = `svc:agent:${digest("agent id").digest("hex").slice(0, 32)}`
  const entered = {
    organizationId,
    agentId,
    agent: key(agentId, "agent key"),
    mandateKey: key(organizationId, "mandate key"),
    delegationId: `dgn_simulated_${index}`,
  }
  made.set(index, entered)
  return entered
}

/** Resolves when organization, agent and delegation are in the database. `at` in ms. */
export async function enter(one: Organization, index: number, { store, beside }: Entered, at: number): Promise<void> {
  const { organizationId, agentId, agent, mandateKey, delegationId } = one
  await enterOrganization(store, at - HOUR, { id: organizationId, keys: [mandateKey] })
  await enterAgent(beside, at - HOUR, agent, agentId)
  const content = delegationContent(at - HOUR, ORIGIN, {
    organization_id: organizationId,
    agent_id: agentId,
    key_id: agent.keyId,
    max_payment_amount: "20000",
    max_total_amount: String(Number(AMOUNT) * DECISIONS_MAX),
    nonce: `delegation-${index}`.padEnd(32, "0"),
    idempotency_key: `delegation-${index}`,
  })
  await store.run(() => insertDelegation(signedDelegation(delegationId, content, mandateKey, agent, at - HOUR)))
}
