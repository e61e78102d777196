/** Authorization tokens, by their hash. The settling unit issues them; `token-moves.ts` changes their state. */
import { and, eq, getTableColumns } from "drizzle-orm"
import { formatInstant, instant } from "../../core/time.ts"
import { bind, first, query, rows, type Unit } from "../engine/unit.ts"
import { restoresOf, voidBeforeOf } from "../restores.ts"

export type TokenCountry = "GB" | "US"
export type TokenKind = "PAYMENT" | "VENDOR_CHANGE"
/** EXPIRED is written when a holder gets that response. An ISSUED token past its `expiresAt` is equally invalid. */
type TokenState = "ISSUED" | "SPENT" | "REVOKED" | "EXPIRED"

export type TokenRevocationReason =
  | "CHANGE_WITHDRAWN"
  | "FRAUD_SUSPECTED"
  | "TOKEN_EXPOSED"
  | "SUPERSEDED"
  | "UNSPECIFIED"

export interface NewToken {
  /** SHA-256 of the token, 64 hex characters. */
  readonly tokenHash: string
  readonly requestId: string
  readonly executionId: string
  readonly product: string
  readonly country: TokenCountry
  readonly kind: TokenKind
  /** Canonical JSON of every bound value, by its wire name (`schemas/authorization-token.ts`). */
  readonly bindingJson: string
  /** Lower-case address. */
  readonly wallet: string
  /** Core digest of the answer it was sold with. */
  readonly evidenceReference: string
  readonly issuedAt: string
  readonly expiresAt: string
}

export interface Token extends NewToken {
  readonly state: TokenState
  /** When it left ISSUED. */
  readonly changedAt: string | null
  /** Of the redeem or revoke request that took effect. */
  readonly idempotencyKey: string | null
  readonly requestDigest: string | null
  readonly revocationReason: TokenRevocationReason | null
  /** The request whose decision spent it, when nobody redeemed it. */
  readonly spentBy: string | null
}

const insert = query((db, t) =>
  db
    .insert(t.authorizationToken)
    .values({
      tokenHash: bind("tokenHash"),
      requestId: bind("requestId"),
      executionId: bind("executionId"),
      product: bind("product"),
      country: bind("country"),
      kind: bind("kind"),
      bindingJson: bind("bindingJson"),
      wallet: bind("wallet"),
      evidenceReference: bind("evidenceReference"),
      issuedAt: bind("issuedAt"),
      expiresAt: bind("expiresAt"),
      state: "ISSUED",
    })
    .returning({ tokenHash: t.authorizationToken.tokenHash }),
)

/** An execution gets one token and a core belongs to one execution. So an existing one is a bug, and this throws. */
export function* issueToken(token: NewToken): Unit<void> {
  yield* rows(insert, { ...token })
}

const byHash = query((db, t) =>
  db
    .select({ ...getTableColumns(t.authorizationToken), restores: restoresOf(t) })
    .from(t.authorizationToken)
    .where(
      and(eq(t.authorizationToken.tokenHash, bind("tokenHash")), eq(t.authorizationToken.country, bind("country"))),
    ),
)

/** Each country finds only its own tokens. */
export function* findToken(country: TokenCountry, tokenHash: string): Unit<Token | null> {
  const found = yield* first(byHash, { country, tokenHash })
  if (!found) return null
  const { restores, ...token } = found
  return afterRestore(token, restores)
}

/** A token from before a restore may have been used in the lost hours, so it counts as revoked since the restore. `restores`: see `restoresOf`. */
export function afterRestore<T extends Token>(token: T, restores: string | null): T {
  if (token.state !== "ISSUED") return token
  const before = voidBeforeOf(restores)
  if (before === null || instant(token.issuedAt) >= before) return token
  return { ...token, state: "REVOKED", changedAt: formatInstant(before) }
}
