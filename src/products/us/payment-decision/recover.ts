/**
 * Returns an acquired decision to its owner again. It requires a new authentication of the owner, takes no payment and runs no pre-quote
 * check. The order of replies is that of rulings 29: 400, 422, 404, 202, 503, 200.
 */
import type { RecoverableRequest, RecoveryRequest } from "../../../../schemas/us/recovery.ts"
import { ServiceError } from "../../../base/errors.ts"
import { requestTexts } from "../../../checks/policy/digests.ts"
import { canonicalize } from "../../../core/canonical-json.ts"
import { verifySignature } from "../../../core/ed25519.ts"
import { recoverySigningValue } from "../../../core/forms/recovery-signing.ts"
import { formatInstant, instant, SECOND } from "../../../core/time.ts"
import { without } from "../../../core/without.ts"
import { deliveredReply, pendingRecovery } from "../../../delivery/replies.ts"
import type { PaidProduct } from "../../../delivery/sale.ts"
import type { Call, Reply } from "../../../http/call.ts"
import { hasPaymentHeader } from "../../../payments/payment-header.ts"
import { listMandateKeys } from "../../../store/buyers/buyers.ts"
import { StoreUnavailable } from "../../../store/engine/store-error.ts"
import type { Store, Unit } from "../../../store/engine/unit.ts"
import { findActiveOperationalKey, findAgentKey } from "../../../store/identity/agent-identity.ts"
import { isNonceSpent, type SpentNonce, spendNonce } from "../../../store/nonces.ts"
import { findBody } from "../../../store/sales/deliveries.ts"
import { findRequestRecord, type RequestRecord } from "../../../store/sales/requests.ts"
import { scopeOf } from "./records.ts"
import { asStored } from "./seal.ts"

const WINDOW_MS = 300 * SECOND
const NONCE_KEPT_MS = 600 * SECOND

interface RecoverDeps {
  readonly store: Store
  readonly product: PaidProduct
  readonly baseUrl: () => string
}

/** Runs before the body is read: a payment header is never allowed here (Interface, "Recovery rules"). */
export function requireNoPaymentHeader(headers: Headers): void {
  if (hasPaymentHeader(headers)) {
    throw new ServiceError(
      "PAYMENT_HEADER_FORBIDDEN",
      "Recovery never needs a payment; repeat the call without the payment header.",
    )
  }
}

/** If the database does not answer, the state of the delivery is unknown. The caller must retry only the recovery. */
export async function recover(deps: RecoverDeps, call: Call<RecoveryRequest>): Promise<Reply> {
  try {
    return await recoverDelivery(deps, call)
  } catch (error) {
    if (!(error instanceof StoreUnavailable)) throw error
    throw new ServiceError(
      "RECOVERY_UNAVAILABLE",
      "The database does not answer now; retry recovery, never pay again.",
      {
        reasonCodes: [error.code],
      },
    )
  }
}

async function recoverDelivery(deps: RecoverDeps, call: Call<RecoveryRequest>): Promise<Reply> {
  const { request, authentication } = call.body
  if (Math.abs(instant(authentication.issued_at) - call.at) > WINDOW_MS) {
    throw new ServiceError("AUTHENTICATION_INVALID", "issued_at must be within 300 seconds of now.", {
      reasonCodes: ["ISSUED_AT_OUT_OF_WINDOW"],
    })
  }
  const nonce = { scope: `recovery\n${request.requesting_agent.agent_id}`, nonce: authentication.nonce }
  const now = formatInstant(call.at)
  const { isSpent, keys } = await deps.store.readTogether(() => readProof(nonce, request, now))
  if (isSpent) throw nonceReused()
  if (keys === null) throw new ServiceError("RECOVERY_AGENT_UNKNOWN", "Agent id and key id must belong together.")
  if (keys.length === 0) {
    throw new ServiceError(
      "RECOVERY_KEY_NOT_ACTIVE",
      "Sign with the request's key if it is active, else with its successor; a revoked identity's organization may sign with its mandate key.",
    )
  }
  const texts = requestTexts(request)
  const message = canonicalize(recoverySigningValue(texts.requestDigest, authentication, deps.baseUrl()))
  const signer = keys.find(({ x }) => verifySignature(x, message, authentication.signature))
  if (!signer)
    throw new ServiceError("RECOVERY_SIGNATURE_INVALID", "Sign the canonical recovery value of this request.")

  const expiresAt = formatInstant(call.at + NONCE_KEPT_MS)
  const acquired = await deps.store.run(() => spendAndRead({ ...nonce, expiresAt }, now, deps.product, request))
  if (acquired === null) throw nonceReused()
  return reply(deps.product, acquired, request, texts.whole)
}

type Nonce = Pick<SpentNonce, "scope" | "nonce">

/** What the authentication is judged by. `keys`: see {@link ownerKeys}. */
function* readProof(
  { scope, nonce }: Nonce,
  request: RecoverableRequest,
  now: string,
): Unit<{ isSpent: boolean; keys: readonly OwnerKey[] | null }> {
  return { isSpent: yield* isNonceSpent(scope, nonce, now), keys: yield* ownerKeys(request) }
}

/** Returns null, and reads nothing, if the nonce was spent before. */
function* spendAndRead(
  { scope, nonce, expiresAt }: SpentNonce,
  now: string,
  product: PaidProduct,
  request: RecoverableRequest,
): Unit<Acquired | null> {
  const isFresh = yield* spendNonce(scope, nonce, expiresAt, now)
  return isFresh ? yield* readAcquired(product, request) : null
}

interface Acquired {
  readonly requestRecord: RequestRecord | null
  /** Null unless it was delivered. */
  readonly body: string | null
}

function* readAcquired({ id }: PaidProduct, request: RecoverableRequest): Unit<Acquired> {
  const requestRecord = yield* findRequestRecord(id, scopeOf(request), request.idempotency_key)
  const body = requestRecord?.state === "DELIVERED" ? yield* findBody(requestRecord.id) : null
  return { requestRecord, body }
}

interface OwnerKey {
  readonly x: string
  /** The nonce is used up under this owner. */
  readonly owner: string
}

/**
 * Returns the keys that may authenticate the owner. That is the key of the request if ACTIVE, else the agent's active successor, however
 * the key ended. None while the identity's status is UNKNOWN after a restore. For a revoked identity it is the organization's active mandate keys, even if an agent's key signed the mandate. Null for
 * an unknown agent, empty if no key may authenticate.
 */
function* ownerKeys(request: RecoverableRequest): Unit<readonly OwnerKey[] | null> {
  const { agent_id: agentId, key_id: keyId } = request.requesting_agent
  const records = yield* findAgentKey(agentId, keyId)
  if (!records) return null
  if (records.identityStatus === "REVOKED") {
    const mandateKeys = yield* listMandateKeys(request.buyer.organization_id)
    return mandateKeys.filter(({ state }) => state === "ACTIVE").map((key) => ({ x: key.x, owner: key.keyId }))
  }
  if (records.role !== "OPERATIONAL" || records.identityStatus === "UNKNOWN") return []
  if (records.status === "ACTIVE") return [{ x: records.x, owner: keyId }]
  const successor = yield* findActiveOperationalKey(agentId)
  return successor ? [{ x: successor.x, owner: successor.keyId }] : []
}

function reply(
  product: PaidProduct,
  { requestRecord, body }: Acquired,
  request: RecoverableRequest,
  requestJson: string,
): Reply {
  if (!requestRecord || !isSameRequest(requestRecord, request, requestJson)) throw noMatch()
  if (requestRecord.state === "DELIVERED") {
    if (body === null) throw new ServiceError("RECOVERY_UNAVAILABLE", "The stored delivery cannot be read now.")
    return deliveredReply(product, asStored(body), null)
  }
  if (requestRecord.purchase) return pendingRecovery(product)
  throw noMatch()
}

/** Every member must equal the bought request. Without `decision_fee_payer`, every other member must (rulings 29). */
function isSameRequest(requestRecord: RequestRecord, request: RecoverableRequest, requestJson: string): boolean {
  if (request.decision_fee_payer !== undefined) return requestJson === requestRecord.requestJson
  const stored = JSON.parse(requestRecord.requestJson) as RecoverableRequest
  return requestJson === canonicalize(without(stored, "decision_fee_payer"))
}

function nonceReused(): ServiceError {
  return new ServiceError("AUTHENTICATION_INVALID", "This nonce was used; draw a new one.", {
    reasonCodes: ["NONCE_REUSED"],
  })
}

function noMatch(): ServiceError {
  return new ServiceError(
    "RECOVERY_NO_MATCH",
    "No acquired delivery matches this request. This does not authorize a new payment.",
  )
}
