/** Registered statements. One unit writes a registration and its leaf in the transparency log, all or nothing. */
import { and, eq, isNull } from "drizzle-orm"
import { bind, bound, first, query, type Unit } from "../engine/unit.ts"
import { admit, type FreeWriter, type NotAdmitted } from "../free-writes/admit.ts"
import { appendStatement, readTreeHead, type TreeHead } from "../log/transparency-log.ts"
import { issueInvitation } from "./invitations.ts"

export interface Registration {
  readonly registrationId: string
  readonly statementDigest: string
  readonly payloadDigest: string
  readonly agentId: string
  readonly keyId: string
  /** RFC 3339. */
  readonly registeredAt: string
  readonly logIndex: number
  /** Null until the invitation is issued, in a separate unit. */
  readonly invitationReference: string | null
}

const byStatement = query((db, t) =>
  db
    .select()
    .from(t.artifactRegistration)
    .where(eq(t.artifactRegistration.statementDigest, bind("statementDigest"))),
)

const insert = query((db, t) =>
  db
    .insert(t.artifactRegistration)
    .values({
      statementDigest: bind("statementDigest"),
      registrationId: bind("registrationId"),
      payloadDigest: bind("payloadDigest"),
      agentId: bind("agentId"),
      keyId: bind("keyId"),
      registeredAt: bind("registeredAt"),
      logIndex: bind("logIndex"),
    })
    .returning(),
)

const setInvitation = query((db, t) =>
  db
    .update(t.artifactRegistration)
    .set({ invitationReference: bound("reference") })
    .where(
      and(
        eq(t.artifactRegistration.statementDigest, bind("statementDigest")),
        isNull(t.artifactRegistration.invitationReference),
      ),
    )
    .returning({ statementDigest: t.artifactRegistration.statementDigest }),
)

interface NewRegistration {
  readonly registrationId: string
  readonly statementDigest: string
  readonly payloadDigest: string
  readonly agentId: string
  readonly keyId: string
  readonly registeredAt: string
  /** Content of the leaf. It cannot be guessed, because it covers the random registration id. */
  readonly leafDigest: string
  /** Revoked keys have their own daily count, so that a thief cannot use up the owner's. */
  readonly byRevokedKey: boolean
  readonly writer: FreeWriter
}

type RegistrationOutcome =
  /** `head` includes the leaf. */
  { readonly kind: "REGISTERED"; readonly registration: Registration; readonly head: TreeHead } | NotAdmitted

/** Registers a statement once. A repeat returns the same registration. Every check comes before the first write. */
export function* registerArtifact(given: NewRegistration): Unit<RegistrationOutcome> {
  const { leafDigest, byRevokedKey, writer, ...row } = given
  const known = yield* first(byStatement, row)
  if (known) return { kind: "REGISTERED", registration: known, head: yield* readTreeHead() }
  const refused = yield* admit("ARTIFACTS", writer, { agent: byRevokedKey ? `${row.agentId} revoked` : row.agentId })
  if (refused) return refused
  const logIndex = yield* appendStatement("ARTIFACT", leafDigest)
  const registration = yield* first(insert, { ...row, logIndex })
  if (!registration) throw new Error("a registration changed no row")
  return { kind: "REGISTERED", registration, head: yield* readTreeHead() }
}

/** Gives a registration its invitation once and returns the invitation's reference. Of two callers both get the reference of the first. */
export function* inviteFor(statementDigest: string, reference: string, createdAt: string): Unit<string> {
  const known = yield* first(byStatement, { statementDigest })
  if (!known) throw new Error("an invitation for no registration")
  if (known.invitationReference !== null) return known.invitationReference
  yield* issueInvitation({ reference, createdAt })
  if (!(yield* first(setInvitation, { statementDigest, reference }))) throw new Error("an invitation changed no row")
  return reference
}
