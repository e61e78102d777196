import { and, eq, exists, gte, isNotNull, like, or, type SQL, type SQLWrapper, sql } from "drizzle-orm"
import { formatInstant, instant } from "../../core/time.ts"
import { ONE_ROW, textOrNull } from "../engine/expressions.ts"
import { bind, query, rows, type Unit } from "../engine/unit.ts"
import type { Words } from "../engine/words.ts"
import { isStatusUnknown } from "../identity/paused-agents.ts"
import { restoresOf, voidBeforeOf } from "../restores.ts"
import { findMandateKey } from "./buyers.ts"
import { isSigner } from "./signing-mandate-key.ts"

interface CompromisedKey {
  readonly keyId: string
  readonly since: string
}

const requestedKeyIds = (words: Words): SQL => sql`(select ${words.wholeText} from ${words.each(bind("keyIds"))})`

/** A row for each instant from which a key does not count, and one row with the restores alone. */
const lostKeys = query((db, t, words) => {
  const { mandateKey, delegation, agentKey } = t
  const nothing = textOrNull(sql`null`)
  const isWanted = (keyId: SQLWrapper) => sql`${keyId} in ${requestedKeyIds(words)}`
  const row = (keyId: SQLWrapper, since: SQLWrapper) => ({
    keyId: textOrNull(sql`${keyId}`),
    since: textOrNull(sql`${since}`),
    restores: nothing,
  })
  const delegated = db
    .select({ delegationId: delegation.delegationId })
    .from(delegation)
    .where(and(eq(delegation.organizationId, bind("organizationId")), eq(delegation.keyId, agentKey.keyId)))
  return db
    .select({ keyId: nothing, since: nothing, restores: restoresOf(t) })
    .from(ONE_ROW)
    .unionAll(
      db
        .select(row(mandateKey.keyId, mandateKey.revokedSince))
        .from(mandateKey)
        .where(
          and(
            eq(mandateKey.organizationId, bind("organizationId")),
            isWanted(mandateKey.keyId),
            eq(mandateKey.state, "REVOKED"),
          ),
        ),
    )
    .unionAll(
      db
        .select(row(delegation.keyId, mandateKey.revokedSince))
        .from(delegation)
        .innerJoin(mandateKey, isSigner(t))
        .where(
          and(
            eq(delegation.organizationId, bind("organizationId")),
            isWanted(delegation.keyId),
            eq(mandateKey.state, "REVOKED"),
            gte(delegation.recordedAt, mandateKey.revokedSince),
            or(like(delegation.scope, '%"SIGN_MANDATE"%'), like(delegation.scope, '%"AUTHORIZE_DESTINATION_CHANGE"%')),
          ),
        ),
    )
    .unionAll(
      db
        .select(row(agentKey.keyId, agentKey.compromisedSince))
        .from(agentKey)
        .where(and(isWanted(agentKey.keyId), isNotNull(agentKey.compromisedSince), exists(delegated))),
    )
})

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
  const found = yield* rows(lostKeys, values)
  const lost = found.flatMap(({ keyId, since }) => (keyId !== null && since !== null ? [{ keyId, since }] : []))
  const isRestored = voidBeforeOf(found.find(({ restores }) => restores !== null)?.restores ?? null) !== null
  return isRestored ? [...lost, ...(yield* pausedKeys(organizationId, wanted, values))] : lost
}

/** A key that a restore leaves paused or unknown may be one that was reported as lost since the backup, from any time on. */
function* pausedKeys(
  organizationId: string,
  wanted: readonly string[],
  values: { organizationId: string; keyIds: string },
): Unit<CompromisedKey[]> {
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
