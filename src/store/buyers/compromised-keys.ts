import { and, eq, exists, isNotNull, like, or, type SQL, sql } from "drizzle-orm"
import { formatInstant, instant } from "../../core/time.ts"
import { bind, query, rows, type Unit } from "../engine/unit.ts"
import type { Words } from "../engine/words.ts"
import { isStatusUnknown } from "../identity/paused-agents.ts"
import { voidBefore } from "../restores.ts"
import { findMandateKey } from "./buyers.ts"
import { isSigner } from "./signing-mandate-key.ts"

interface CompromisedKey {
  readonly keyId: string
  readonly since: string
}

const requestedKeyIds = (words: Words): SQL => sql`(select ${words.wholeText} from ${words.each(bind("keyIds"))})`

const mandateKeys = query((db, t, words) =>
  db
    .select({ keyId: t.mandateKey.keyId, since: t.mandateKey.revokedSince })
    .from(t.mandateKey)
    .where(
      and(
        eq(t.mandateKey.organizationId, bind("organizationId")),
        sql`${t.mandateKey.keyId} in ${requestedKeyIds(words)}`,
        eq(t.mandateKey.state, "REVOKED"),
      ),
    ),
)
const delegatedKeys = query((db, t, words) =>
  db
    .select({
      keyId: t.delegation.keyId,
      since: t.mandateKey.revokedSince,
      recordedAt: t.delegation.recordedAt,
    })
    .from(t.delegation)
    .innerJoin(t.mandateKey, isSigner(t))
    .where(
      and(
        eq(t.delegation.organizationId, bind("organizationId")),
        sql`${t.delegation.keyId} in ${requestedKeyIds(words)}`,
        eq(t.mandateKey.state, "REVOKED"),
        or(like(t.delegation.scope, '%"SIGN_MANDATE"%'), like(t.delegation.scope, '%"AUTHORIZE_DESTINATION_CHANGE"%')),
      ),
    ),
)

const lostAgentKeys = query((db, t, words) =>
  db
    .select({ keyId: t.agentKey.keyId, since: t.agentKey.compromisedSince })
    .from(t.agentKey)
    .where(
      and(
        sql`${t.agentKey.keyId} in ${requestedKeyIds(words)}`,
        isNotNull(t.agentKey.compromisedSince),
        exists(
          db
            .select({ delegationId: t.delegation.delegationId })
            .from(t.delegation)
            .where(
              and(eq(t.delegation.organizationId, bind("organizationId")), eq(t.delegation.keyId, t.agentKey.keyId)),
            ),
        ),
      ),
    ),
)

const delegatedAgents = query((db, t, words) =>
  db
    .select({
      keyId: t.delegation.keyId,
      signedBy: t.delegation.signedByKeyId,
      agentId: t.agent.agentId,
      headAcceptedAt: t.agent.headAcceptedAt,
    })
    .from(t.delegation)
    .innerJoin(t.agent, eq(t.agent.agentId, t.delegation.agentId))
    .where(
      and(
        eq(t.delegation.organizationId, bind("organizationId")),
        sql`${t.delegation.keyId} in ${requestedKeyIds(words)}`,
      ),
    ),
)

/**
 * Which of these keys do not count for a destination from `since` on (rulings 47 and 49): revoked mandate keys, keys that such a key
 * delegated for the organization after its loss, and delegated agent keys that their own identity reports as lost. A key may appear more
 * than once; the earliest instant applies.
 */
export function* findCompromisedKeys(
  organizationId: string,
  keyIds: readonly (string | null)[],
): Unit<CompromisedKey[]> {
  const wanted = [...new Set(keyIds)].filter((keyId) => keyId !== null)
  if (wanted.length === 0) return []
  const values = { organizationId, keyIds: JSON.stringify(wanted) }
  const lost: CompromisedKey[] = []
  for (const { keyId, since } of yield* rows(mandateKeys, values)) if (since) lost.push({ keyId, since })
  for (const { keyId, since, recordedAt } of yield* rows(delegatedKeys, values)) {
    if (since !== null && recordedAt >= since) lost.push({ keyId, since })
  }
  for (const { keyId, since } of yield* rows(lostAgentKeys, values)) if (since) lost.push({ keyId, since })
  return [...lost, ...(yield* pausedKeys(organizationId, wanted, values))]
}

/** A key that a restore leaves paused or unknown may be one that was reported as lost since the backup, from any time on. */
function* pausedKeys(
  organizationId: string,
  wanted: readonly string[],
  values: { organizationId: string; keyIds: string },
): Unit<CompromisedKey[]> {
  const before = yield* voidBefore()
  if (before === null) return []
  const paused: string[] = []
  const isPaused = function* (keyId: string): Unit<boolean> {
    return (yield* findMandateKey(organizationId, keyId))?.state === "PAUSED"
  }
  for (const keyId of wanted) if (yield* isPaused(keyId)) paused.push(keyId)
  for (const { keyId, signedBy, agentId, headAcceptedAt } of yield* rows(delegatedAgents, values)) {
    if ((yield* isStatusUnknown({ agentId, headAcceptedAt })) || (yield* isPaused(signedBy))) paused.push(keyId)
  }
  return paused.map((keyId) => ({ keyId, since: formatInstant(0) }))
}

/**
 * True if a signature by `keyId` at `signedAt` still supports a destination (rulings 47, "nothing signed by a key later revoked as
 * compromised before it"). Times are RFC 3339.
 */
export function stillVouches(
  signed: { readonly keyId: string; readonly signedAt: string },
  compromised: readonly CompromisedKey[],
): boolean {
  return !compromised.some(({ keyId, since }) => keyId === signed.keyId && instant(since) <= instant(signed.signedAt))
}
