import { and, eq, like } from "drizzle-orm"
import { bind, query, rows, type Unit } from "./unit.ts"

export interface CompromisedKey {
  readonly keyId: string
  readonly since: string
}

const mandateKeys = query((db, t) =>
  db
    .select({ keyId: t.mandateKey.keyId, since: t.mandateKey.revokedSince })
    .from(t.mandateKey)
    .where(and(eq(t.mandateKey.organizationId, bind("organizationId")), eq(t.mandateKey.state, "REVOKED"))),
)
const delegatedKeys = query((db, t) =>
  db
    .select({
      keyId: t.delegation.keyId,
      since: t.mandateKey.revokedSince,
      recordedAt: t.delegation.recordedAt,
    })
    .from(t.delegation)
    .innerJoin(
      t.mandateKey,
      and(
        eq(t.mandateKey.organizationId, t.delegation.organizationId),
        eq(t.mandateKey.keyId, t.delegation.signedByKeyId),
      ),
    )
    .where(
      and(
        eq(t.delegation.organizationId, bind("organizationId")),
        eq(t.mandateKey.state, "REVOKED"),
        like(t.delegation.scope, '%"SIGN_MANDATE"%'),
      ),
    ),
)

/**
 * Keys whose mandates no longer vouch for a destination from `since` on (rulings 47 and 49): revoked mandate keys, and keys that
 * such a key let sign mandates after it was lost. A key may appear more than once; the earliest instant counts.
 */
export function* findCompromisedKeys(organizationId: string): Unit<CompromisedKey[]> {
  const lost: CompromisedKey[] = []
  for (const { keyId, since } of yield* rows(mandateKeys, { organizationId })) if (since) lost.push({ keyId, since })
  for (const { keyId, since, recordedAt } of yield* rows(delegatedKeys, { organizationId })) {
    if (since !== null && recordedAt >= since) lost.push({ keyId, since })
  }
  return lost
}
