/** Consents of the Intent Beacon and their events of a day. */
import { and, desc, eq, gt, isNull, lt, lte, sql } from "drizzle-orm"
import { bind, bound, changed, first, query, rows, type Unit, write } from "../engine/unit.ts"
import { purgeOf } from "../purge.ts"

export interface ConsentRow {
  readonly agentId: string
  readonly consentId: string
  /** Canonical text of the agent's signed message. */
  readonly terms: string
  readonly requestDigest: string
  /** RFC 3339, as all its times. */
  readonly grantedAt: string
  readonly validUntil: string
  readonly revokedAt: string | null
  /** When it was revoked, else {@link validUntil}. */
  readonly endedAt: string
}

interface ConsentDay extends Pick<ConsentRow, "agentId" | "consentId"> {
  /** UTC, YYYY-MM-DD. */
  readonly day: string
}

const byId = query((db, t) =>
  db
    .select()
    .from(t.beaconConsent)
    .where(and(eq(t.beaconConsent.agentId, bind("agentId")), eq(t.beaconConsent.consentId, bind("consentId")))),
)

const termsOf = query((db, { beaconConsent: t }) =>
  db
    .select({ terms: t.terms })
    .from(t)
    .where(and(eq(t.agentId, bind("agentId")), eq(t.consentId, bind("consentId")))),
)

const insert = query((db, t) =>
  db
    .insert(t.beaconConsent)
    .values({
      agentId: bind("agentId"),
      consentId: bind("consentId"),
      terms: bind("terms"),
      requestDigest: bind("requestDigest"),
      grantedAt: bind("grantedAt"),
      validUntil: bind("validUntil"),
      endedAt: bind("validUntil"),
    })
    .returning({ consentId: t.beaconConsent.consentId }),
)

const nthLive = query((db, t) =>
  db
    .select({ consentId: t.beaconConsent.consentId })
    .from(t.beaconConsent)
    .where(
      and(
        eq(t.beaconConsent.agentId, bind("agentId")),
        gt(t.beaconConsent.validUntil, bind("at")),
        isNull(t.beaconConsent.revokedAt),
      ),
    )
    .orderBy(desc(t.beaconConsent.validUntil), desc(t.beaconConsent.consentId))
    .limit(1)
    .offset(bind("others")),
)

const revokeOne = query((db, t) =>
  db
    .update(t.beaconConsent)
    .set({ revokedAt: bound("at"), endedAt: bound("endedAt") })
    .where(
      and(
        eq(t.beaconConsent.agentId, bind("agentId")),
        eq(t.beaconConsent.consentId, bind("consentId")),
        isNull(t.beaconConsent.revokedAt),
      ),
    )
    .returning({ consentId: t.beaconConsent.consentId }),
)

const revokeLive = query((db, t) =>
  db
    .update(t.beaconConsent)
    .set({ revokedAt: bound("at"), endedAt: bound("at") })
    .where(
      and(
        eq(t.beaconConsent.agentId, bind("agentId")),
        gt(t.beaconConsent.validUntil, bind("at")),
        isNull(t.beaconConsent.revokedAt),
      ),
    )
    .returning({ consentId: t.beaconConsent.consentId }),
)

const purgeEnded = purgeOf(({ beaconConsent: t }) => ({
  key: [t.agentId, t.consentId],
  where: lte(t.endedAt, bind("before")),
  order: [t.endedAt, t.agentId, t.consentId],
}))

const countDay = write((db, t) =>
  db
    .insert(t.beaconConsentDay)
    .values({ agentId: bind("agentId"), consentId: bind("consentId"), day: bind("day"), events: 1 })
    .onConflictDoUpdate({
      target: [t.beaconConsentDay.agentId, t.beaconConsentDay.consentId, t.beaconConsentDay.day],
      set: { events: sql`${t.beaconConsentDay.events} + 1` },
    }),
)

const purgeDays = purgeOf(({ beaconConsentDay: t }) => ({
  key: [t.agentId, t.consentId, t.day],
  where: lt(t.day, bind("before")),
  order: [t.day, t.agentId, t.consentId],
}))

/** Also one that ended or was revoked, until it is purged. */
export function* findConsent(agentId: string, consentId: string): Unit<ConsentRow | null> {
  return (yield* first(byId, { agentId, consentId })) ?? null
}

/** Returns {@link ConsentRow.terms}. Throws for an unknown consent. */
export function* findConsentTerms(agentId: string, consentId: string): Unit<string> {
  const row = yield* first(termsOf, { agentId, consentId })
  if (!row) throw new TypeError("no such consent")
  return row.terms
}

export function* insertConsent(consent: Omit<ConsentRow, "revokedAt" | "endedAt">): Unit<void> {
  yield* first(insert, { ...consent })
}

/** Whether the agent has at least `count` consents that are neither ended nor revoked. */
export function* hasLiveConsents(agentId: string, count: number, at: string): Unit<boolean> {
  return (yield* first(nthLive, { agentId, at, others: count - 1 })) !== undefined
}

/** The first revocation counts. A consent that ended by itself keeps that end. */
export function* revokeConsent({ agentId, consentId, validUntil }: ConsentRow, at: string): Unit<void> {
  yield* first(revokeOne, { agentId, consentId, at, endedAt: at < validUntil ? at : validUntil })
}

/** Revokes every consent of the agent that has not ended. */
export function* revokeLiveConsents(agentId: string, at: string): Unit<void> {
  yield* rows(revokeLive, { agentId, at })
}

/** Counts an event. */
export function* countOnDay(day: ConsentDay): Unit<void> {
  yield* changed(countDay, { ...day })
}

/** Removes at most 64 that ended before `before`; returns how many. */
export function* purgeConsents(before: string): Unit<number> {
  return yield* changed(purgeEnded, { before })
}

/** Removes at most 64 rows of days before `before`; returns how many. */
export function* purgeConsentDays(before: string): Unit<number> {
  return yield* changed(purgeDays, { before })
}
