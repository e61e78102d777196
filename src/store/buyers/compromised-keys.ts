import { and, eq, exists, isNotNull, like, or, type SQL, sql } from "drizzle-orm"
import { instant } from "../../core/time.ts"
import { bind, query, rows, type Unit } from "../unit.ts"
import { isSigner } from "./signing-mandate-key.ts"

export interface CompromisedKey {
  readonly keyId: string
  readonly since: string
}

const requestedKeyIds: SQL = sql`(select value from json_each(${bind("keyIds")}))`

const mandateKeys = query((db, t) =>
  db
    .select({ keyId: t.mandateKey.keyId, since: t.mandateKey.revokedSince })
    .from(t.mandateKey)
    .where(
      and(
        eq(t.mandateKey.organizationId, bind("organizationId")),
        sql`${t.mandateKey.keyId} in ${requestedKeyIds}`,
        eq(t.mandateKey.state, "REVOKED"),
      ),
    ),
)
const delegatedKeys = query((db, t) =>
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
        sql`${t.delegation.keyId} in ${requestedKeyIds}`,
        eq(t.mandateKey.state, "REVOKED"),
        or(like(t.delegation.scope, '%"SIGN_MANDATE"%'), like(t.delegation.scope, '%"AUTHORIZE_DESTINATION_CHANGE"%')),
      ),
    ),
)

const lostAgentKeys = query((db, t) =>
  db
    .select({ keyId: t.agentKey.keyId, since: t.agentKey.compromisedSince })
    .from(t.agentKey)
    .where(
      and(
        sql`${t.agentKey.keyId} in ${requestedKeyIds}`,
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
  return lost
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
