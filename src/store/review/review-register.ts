/** Who may judge: reviewers, their keys, and how many persons a judgement needs. */
import { asc, desc, eq } from "drizzle-orm"
import { ONE_PERSON, type Register, type RegisteredKey, type ReviewPolicy } from "../../core/review/register.ts"
import { instant } from "../../core/time.ts"
import { bind, bound, changed, first, query, rows, type Unit, write } from "../engine/unit.ts"
import { voidBefore } from "../restores.ts"
import { endEntrances } from "./review-sessions.ts"

export interface Reviewer {
  readonly reviewerId: string
  readonly name: string
  /** `org:…` and `payer:0x…`. */
  readonly recusals: readonly string[]
  /** Why the next key of this reviewer needs no approvals. Null: it needs those that the policy asks for. */
  readonly breakGlass: string | null
  /** RFC 3339. */
  readonly addedAt: string
}

export interface ReviewerKey {
  readonly keyId: string
  readonly reviewerId: string
  readonly credentialId: string
  /** SubjectPublicKeyInfo, base64url. */
  readonly publicKey: string
  readonly algorithm: number
  readonly counter: number
  readonly state: RegisteredKey["state"]
  /** As the key was enrolled. */
  readonly recusals: readonly string[]
  /** RFC 3339. */
  readonly enrolledAt: string
  /** Why it was admitted without approvals; null if it was not. */
  readonly breakGlass: string | null
}

/** CHOICE: a desk of more persons, or of persons with more keys, is more than anybody can oversee. */
export const REVIEWERS_MAX = 100
export const KEYS_MAX = 10

const insertReviewer = query((db, t) =>
  db
    .insert(t.reviewer)
    .values({
      reviewerId: bind("reviewerId"),
      name: bind("name"),
      recusals: bind("recusals"),
      breakGlass: bind("breakGlass"),
      addedAt: bind("addedAt"),
    })
    .onConflictDoNothing()
    .returning({ reviewerId: t.reviewer.reviewerId }),
)
const updateReviewer = write((db, { reviewer: t }) =>
  db
    .update(t)
    .set({ recusals: bound("recusals"), breakGlass: bound("breakGlass") })
    .where(eq(t.reviewerId, bind("reviewerId"))),
)
const setBreakGlass = write((db, { reviewer: t }) =>
  db
    .update(t)
    .set({ breakGlass: bound("breakGlass") })
    .where(eq(t.reviewerId, bind("reviewerId"))),
)
const everyReviewer = query((db, { reviewer: t }) =>
  db.select().from(t).orderBy(asc(t.reviewerId)).limit(REVIEWERS_MAX),
)
const byName = query((db, { reviewer: t }) =>
  db
    .select()
    .from(t)
    .where(eq(t.name, bind("name"))),
)
const byId = query((db, { reviewer: t }) =>
  db
    .select()
    .from(t)
    .where(eq(t.reviewerId, bind("reviewerId"))),
)
const everyKey = query((db, { reviewerKey: t }) =>
  db
    .select()
    .from(t)
    .orderBy(asc(t.keyId))
    .limit(REVIEWERS_MAX * KEYS_MAX),
)
const newestPolicy = query((db, { reviewPolicy: t }) => db.select().from(t).orderBy(desc(t.sequence)).limit(1))

type Stored<Row> = Omit<Row, "recusals"> & { readonly recusals: string }

function read<Row extends { readonly recusals: readonly string[] }>(row: Stored<Row>): Row {
  return { ...row, recusals: JSON.parse(row.recusals) } as unknown as Row
}

export function* listReviewers(): Unit<readonly Reviewer[]> {
  return (yield* rows(everyReviewer)).map((row) => read<Reviewer>(row))
}

export function* reviewerNamed(name: string): Unit<Reviewer | null> {
  const row = yield* first(byName, { name })
  return row ? read<Reviewer>(row) : null
}

export function* findReviewer(reviewerId: string): Unit<Reviewer | null> {
  const row = yield* first(byId, { reviewerId })
  return row ? read<Reviewer>(row) : null
}

/**
 * Adds a reviewer with at most `recusalsMax` recusals, or adds recusals and the reason of a break glass to the one with this name. A recusal is never taken back. ENROLLED: the person
 * has keys, which were enrolled without the new recusals; they must be revoked first, so that records show from when on the recusals count.
 */
export function* addReviewer(
  given: Reviewer,
  recusalsMax: number,
): Unit<Reviewer | "TOO_MANY" | "TOO_MANY_RECUSALS" | "ENROLLED"> {
  const known = yield* reviewerNamed(given.name)
  if (known) {
    const recusals = [...new Set([...known.recusals, ...given.recusals])]
    if (recusals.length > recusalsMax) return "TOO_MANY_RECUSALS"
    const keys = (yield* keysOf(known.reviewerId)).filter(({ state }) => state !== "REVOKED")
    if (keys.length > 0 && recusals.length > known.recusals.length) return "ENROLLED"
    const { reviewerId } = known
    const { breakGlass } = given
    yield* changed(updateReviewer, { reviewerId, recusals: JSON.stringify(recusals), breakGlass })
    return { ...known, recusals, breakGlass }
  }
  if ((yield* listReviewers()).length >= REVIEWERS_MAX) return "TOO_MANY"
  const { reviewerId, name, breakGlass, addedAt } = given
  yield* rows(insertReviewer, { reviewerId, name, breakGlass, addedAt, recusals: JSON.stringify(given.recusals) })
  return given
}

export function* listKeys(): Unit<readonly ReviewerKey[]> {
  return (yield* rows(everyKey)).map((row) => read<ReviewerKey>(row))
}

/** Every key of the person, revoked ones too. */
export function* keysOf(reviewerId: string): Unit<readonly ReviewerKey[]> {
  return (yield* listKeys()).filter((key) => key.reviewerId === reviewerId)
}

/**
 * The register as records made it. A key from before a restore may have been revoked in the lost hours, so it is not active until the operator
 * declares that the backup was the newest state.
 */
export function* readRegister(): Unit<Register> {
  const before = yield* voidBefore()
  const keys = new Map<string, RegisteredKey>()
  const recusals = new Map<string, readonly string[]>()
  for (const { keyId, reviewerId, credentialId, state, recusals: own, enrolledAt } of yield* listKeys()) {
    const isPaused = before !== null && state === "ACTIVE" && instant(enrolledAt) < before
    keys.set(keyId, { reviewer: reviewerId, credentialId, state: isPaused ? "PENDING" : state })
    recusals.set(reviewerId, [...new Set([...(recusals.get(reviewerId) ?? []), ...own])])
  }
  return { policy: yield* reviewPolicy(), keys, recusals }
}

export function* reviewPolicy(): Unit<ReviewPolicy> {
  const row = yield* first(newestPolicy)
  return row ? { persons: row.persons, of: row.ofPersons } : ONE_PERSON
}

const insertKey = query((db, t) =>
  db
    .insert(t.reviewerKey)
    .values({
      keyId: bind("keyId"),
      reviewerId: bind("reviewerId"),
      credentialId: bind("credentialId"),
      publicKey: bind("publicKey"),
      algorithm: bind("algorithm"),
      counter: bind("counter"),
      state: bind("state"),
      recusals: bind("recusals"),
      enrolledAt: bind("enrolledAt"),
      breakGlass: bind("breakGlass"),
    })
    .onConflictDoNothing()
    .returning({ keyId: t.reviewerKey.keyId }),
)
const moveKey = write((db, { reviewerKey: t }) =>
  db
    .update(t)
    .set({ state: bound("state") })
    .where(eq(t.keyId, bind("keyId"))),
)
const moveCounter = write((db, { reviewerKey: t }) =>
  db
    .update(t)
    .set({ counter: bound("counter") })
    .where(eq(t.keyId, bind("keyId"))),
)
const insertPolicy = query((db, t) =>
  db
    .insert(t.reviewPolicy)
    .values({ sequence: bind("sequence"), persons: bind("persons"), ofPersons: bind("ofPersons") })
    .returning({ sequence: t.reviewPolicy.sequence }),
)
const oneKey = query((db, { reviewerKey: t }) =>
  db
    .select()
    .from(t)
    .where(eq(t.keyId, bind("keyId"))),
)

export function* findKey(keyId: string): Unit<ReviewerKey | null> {
  const row = yield* first(oneKey, { keyId })
  return row ? read<ReviewerKey>(row) : null
}

/** Writes what a record changed of the register. `enrolled`: the key that the record enrols, if it does. Entrances end with a key that is revoked. */
export function* writeRegister(
  before: Register,
  after: Register,
  { sequence, enrolled }: { readonly sequence: number; readonly enrolled: ReviewerKey | null },
): Unit<void> {
  for (const [keyId, { state, reviewer: reviewerId }] of after.keys) {
    if (!before.keys.has(keyId) && enrolled?.keyId === keyId) {
      const added = yield* rows(insertKey, { ...enrolled, state, recusals: JSON.stringify(enrolled.recusals) })
      if (added.length === 0) throw new Error("the key of a record that enrols one is there already")
      // It admits one key, which keeps the reason.
      if (enrolled.breakGlass !== null) yield* changed(setBreakGlass, { reviewerId, breakGlass: null })
    } else if (before.keys.get(keyId)?.state !== state) {
      yield* changed(moveKey, { keyId, state })
      if (state === "REVOKED") yield* endEntrances({ reviewerId, keyId })
    }
  }
  const { persons, of } = after.policy
  if (persons === before.policy.persons && of === before.policy.of) return
  yield* rows(insertPolicy, { sequence, persons, ofPersons: of })
}

/** The highest counter that the key has shown. */
export function* noteCounter(keyId: string, counter: number): Unit<void> {
  yield* changed(moveCounter, { keyId, counter })
}
