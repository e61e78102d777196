/** Requests and attempts written as in a real delivery. */
import type { DelegationsUsed } from "../../src/store/buyers/delegation-use.ts"
import { SqliteStore } from "../../src/store/engine/sqlite/sqlite-store.ts"
import type { Unit } from "../../src/store/engine/unit.ts"
import { type AttemptEnd, type NewAttempt, reserveAttempt } from "../../src/store/payments/attempt-moves.ts"
import { claimRequest, countAgainst, type NewRequest } from "../../src/store/sales/requests.ts"
import { freshDirectory } from "../fixtures/directories.ts"
import { openMigrated } from "../fixtures/new-database.ts"

export const AT = "2026-11-21T10:00:00.000Z"
export const LATER = "2026-11-21T10:01:00.000Z"
export const LEASE = { owner: "worker-a", until: "2026-11-21T10:00:30.000Z" }
export const OTHER = { owner: "worker-b", until: "2026-11-21T10:02:00.000Z" }

/** A store of SQLite with its connection, for a test of SQLite itself. */
export function moneyDatabase() {
  const directory = freshDirectory()
  const database = openMigrated(`${directory.path}/money.db`, AT)
  const store = new SqliteStore(database, (error) => {
    throw error
  })
  return {
    database,
    run: <T>(unit: () => Unit<T>) => store.run(unit),
    close: async () => {
      await store.close()
      directory[Symbol.dispose]()
    },
  }
}

export function newRequest(id: string, changes: Partial<NewRequest> = {}): NewRequest {
  return {
    id,
    product: "p",
    scope: "org\nagent\nkey",
    idempotencyKey: `key-${id}`,
    requestDigest: `request-${id}`,
    bodyDigest: `body-${id}`,
    rawBodyDigest: null,
    requestJson: "{}",
    organizationId: "org",
    agentId: "agent",
    keyId: "key",
    amountMillionths: "1000000",
    createdAt: AT,
    ...changes,
  }
}

export function newAttempt(id: string, requestId: string, changes: Partial<NewAttempt> = {}): NewAttempt {
  return {
    id,
    requestId,
    chainId: 8453,
    asset: "usdc",
    payer: "payer",
    nonce: `nonce-${id}`,
    payTo: "service",
    value: "790000",
    validAfter: 0,
    validBefore: 1_795_000_300,
    maxTimeoutSeconds: 300,
    quoteId: "q",
    payloadJson: "{}",
    payloadSha256: `payload-${id}`,
    payerHasCode: 0,
    payerCodeHash: null,
    alreadyUsed: 0,
    usedBlock: null,
    settler: "self",
    createdAt: AT,
    ...changes,
  }
}

/** The end of a reserved attempt that nobody has used. */
export const RELEASE: AttemptEnd = {
  from: "RESERVED",
  to: "RELEASED",
  at: AT,
  reason: "x",
  watched: true,
  usedBlock: null,
}

/** A claimed request with one reserved attempt under {@link LEASE}; ids `drq_N` and `att_N`. */
export function* reserved(
  name: string,
  request: Partial<NewRequest & DelegationsUsed> = {},
  attempt: Partial<NewAttempt> = {},
): Unit<string> {
  const { delegationId = null, mandateDelegationId = null, ...changes } = request
  const requestId = yield* claimRequest(newRequest(`drq_${name}`, changes))
  if (requestId === null) throw new Error("the key is taken")
  yield* countAgainst(requestId, { delegationId, mandateDelegationId })
  if (!(yield* reserveAttempt(newAttempt(`att_${name}`, requestId, attempt), LEASE))) throw new Error("not reserved")
  return `att_${name}`
}
