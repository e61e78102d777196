/**
 * State changes of an authorization token. Each unit runs its checks in one fixed order and changes the row with one conditional update. So
 * of several callers, in any process, one takes effect and the others get its result.
 */
import { and, eq, isNotNull, sql } from "drizzle-orm"
import { formatInstant, instant } from "../../core/time.ts"
import { bindingDifferences, type TokenBinding } from "../../core/token-binding.ts"
import { bind, bound, first, query, rows, type Unit } from "../engine/unit.ts"
import { findToken, type Token, type TokenCountry, type TokenRevocationReason } from "./authorization-tokens.ts"

interface Move {
  readonly to: "SPENT" | "REVOKED" | "EXPIRED"
  /** Milliseconds. */
  readonly at: number
  readonly idempotencyKey?: string
  readonly requestDigest?: string
  readonly revocationReason?: TokenRevocationReason
  readonly spentBy?: string
}

const move = query((db, t) =>
  db
    .update(t.authorizationToken)
    .set({
      state: bound("to"),
      changedAt: bound("changedAt"),
      idempotencyKey: bound("idempotencyKey"),
      requestDigest: bound("requestDigest"),
      revocationReason: bound("revocationReason"),
      spentBy: bound("spentBy"),
    })
    .where(and(eq(t.authorizationToken.tokenHash, bind("tokenHash")), eq(t.authorizationToken.state, sql`'ISSUED'`)))
    .returning(),
)

const noteSpent = query((db, t) =>
  db
    .insert(t.spentChange)
    .select(
      db
        .select({
          organizationId: sql<string>`${t.answerRecord.organizationId}`.as("organization_id"),
          supplierId: sql<string>`${t.answerRecord.organizationSupplierId}`.as("supplier_id"),
          changedAt: sql<string>`${bind("changedAt")}`.as("changed_at"),
          executionId: t.answerRecord.executionId,
        })
        .from(t.answerRecord)
        .where(
          and(eq(t.answerRecord.executionId, bind("executionId")), isNotNull(t.answerRecord.organizationSupplierId)),
        ),
    )
    .returning({ executionId: t.spentChange.executionId }),
)

/**
 * INVARIANT: this is the only way out of ISSUED, and there is no way back. Of two moves one changes the row and the other throws, because
 * within one unit nothing runs between check and update. No recorded instant is before the token was issued, whatever the clock says.
 */
export function* moveToken(token: Token, { to, at, ...more }: Move): Unit<Token> {
  const changedAt = formatInstant(Math.max(at, instant(token.issuedAt)))
  const { idempotencyKey = null, requestDigest = null, revocationReason = null, spentBy = null } = more
  const values = { idempotencyKey, requestDigest, revocationReason, spentBy }
  const moved = yield* first(move, { tokenHash: token.tokenHash, to, changedAt, ...values })
  if (!moved) throw new Error("a token is not moved twice")
  if (to === "SPENT" && token.kind === "VENDOR_CHANGE") {
    yield* rows(noteSpent, { changedAt, executionId: token.executionId })
  }
  return moved
}

const holders = query((db, t) =>
  db
    .select({ requestId: t.authorityHold.requestId, spent: t.authorityHold.spent })
    .from(t.authorityHold)
    .where(and(sql`${t.authorityHold.kind} = 'CHANGE_AUTHORIZATION'`, eq(t.authorityHold.value, bind("value")))),
)

/** Requests that hold this change authorization: `spent` is 0 while they run, 1 once their decision is sold. */
export function* holdersOf(evidenceReference: string): Unit<readonly { requestId: string; spent: number }[]> {
  return yield* rows(holders, { value: evidenceReference })
}

export function isExpired({ expiresAt }: Token, at: number): boolean {
  return at >= instant(expiresAt)
}

export type Bar = "SPENT" | "REVOKED" | "IN_PROGRESS" | "EXPIRED"

/**
 * Why a token cannot change any more, or not now. CHOICE: a token once reported as expired stays expired, even when the clock is set back.
 * CHOICE: while a running decision relies on a token, nobody can redeem or revoke it and it is not reported as expired, because the
 * decision may still spend it. This ends when the decision is sold or released.
 */
function* barOf(token: Token, at: number): Unit<Bar | null> {
  if (token.state !== "ISSUED") return token.state
  if ((yield* holdersOf(token.evidenceReference)).some(({ spent }) => spent === 0)) return "IN_PROGRESS"
  if (!isExpired(token, at)) return null
  yield* moveToken(token, { to: "EXPIRED", at })
  return "EXPIRED"
}

interface TokenRequest {
  readonly country: TokenCountry
  readonly tokenHash: string
  readonly idempotencyKey: string
  /** Digest of the body without the token. */
  readonly requestDigest: string
  /** Milliseconds. */
  readonly at: number
}

export type MovedToken = Token & { readonly changedAt: string }

type MoveOutcome =
  | { readonly kind: "DONE"; readonly token: MovedToken; readonly replayed: boolean }
  | { readonly kind: "UNKNOWN" | "KEY_REUSED" }
  | { readonly kind: "BARRED"; readonly bar: Bar }

function done(token: Token, replayed: boolean): MoveOutcome {
  const { changedAt } = token
  if (changedAt === null) throw new Error("a token that was moved has no time of it")
  return { kind: "DONE", token: { ...token, changedAt }, replayed }
}

type RedeemOutcome = MoveOutcome | { readonly kind: "MISMATCH"; readonly members: readonly string[] }

/**
 * The same key and body always get the response from the row, from any sender. CHOICE: the repeated values are compared before the state is
 * disclosed, so that a redeemer with wrong values learns that also for a spent token.
 */
export function* redeemToken(request: TokenRequest & { readonly binding: TokenBinding }): Unit<RedeemOutcome> {
  const token = yield* findToken(request.country, request.tokenHash)
  if (!token) return { kind: "UNKNOWN" }
  const { idempotencyKey, requestDigest, at } = request
  if (token.state === "SPENT" && token.idempotencyKey === idempotencyKey) {
    return token.requestDigest === requestDigest ? done(token, true) : { kind: "KEY_REUSED" }
  }
  const members = bindingDifferences(JSON.parse(token.bindingJson) as TokenBinding, request.binding)
  if (members.length > 0) return { kind: "MISMATCH", members }
  const bar = yield* barOf(token, at)
  if (bar) return { kind: "BARRED", bar }
  return done(yield* moveToken(token, { to: "SPENT", at, idempotencyKey, requestDigest }), false)
}

type RevokeOutcome = MoveOutcome | { readonly kind: "NOT_REVOCABLE" }

/** A change authorization is revoked once. Any repeat, also under another key, gets the same result. */
export function* revokeToken(request: TokenRequest & { readonly reason: TokenRevocationReason }): Unit<RevokeOutcome> {
  const token = yield* findToken(request.country, request.tokenHash)
  if (!token) return { kind: "UNKNOWN" }
  if (token.kind !== "VENDOR_CHANGE") return { kind: "NOT_REVOCABLE" }
  const { idempotencyKey, requestDigest, at } = request
  if (token.state === "REVOKED") {
    const isReused = token.idempotencyKey === idempotencyKey && token.requestDigest !== requestDigest
    return isReused ? { kind: "KEY_REUSED" } : done(token, true)
  }
  const bar = yield* barOf(token, at)
  if (bar) return { kind: "BARRED", bar }
  const move = { to: "REVOKED", at, idempotencyKey, requestDigest, revocationReason: request.reason } as const
  return done(yield* moveToken(token, move), false)
}

/** `inUse`: a running decision relies on it. Null for an unknown token. */
export function* tokenState(
  country: TokenCountry,
  tokenHash: string,
  at: number,
): Unit<{ readonly token: Token; readonly inUse: boolean } | null> {
  const token = yield* findToken(country, tokenHash)
  if (!token) return null
  const bar = yield* barOf(token, at)
  return { token: (yield* findToken(country, tokenHash)) ?? token, inUse: bar === "IN_PROGRESS" }
}
