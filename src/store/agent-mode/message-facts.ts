/**
 * What the unit of a signed message is judged by. One statement reads it: the message passes a dozen checks, and a statement for each would
 * take longer than all its writes.
 */
import { and, eq, gt, type SQL, sql } from "drizzle-orm"
import { formatInstant, instant } from "../../core/time.ts"
import { isTrue, ONE_ROW, textOrNull } from "../engine/expressions.ts"
import { bind, first, query, type Unit } from "../engine/unit.ts"
import { isStatusUnknown } from "../identity/paused-agents.ts"
import type { NamedSigner } from "../identity/signature-facts.ts"
import { restoresOf, voidBeforeOf } from "../restores.ts"
import type { ConsentRow } from "./beacon-consents.ts"
import type { AnsweredMessage, MessageMarks } from "./messages.ts"

/** What a message of the Beacon names. */
export interface NamedEvent extends Pick<MessageMarks, "eventMark"> {
  readonly consentId: string
  /** UTC day, YYYY-MM-DD, whose events of the consent are counted. */
  readonly day: string
}

/** The message, and the event that it names. A message that names none has empty texts and null. */
interface MessageQuestion extends MessageMarks, NamedEvent {
  readonly agentId: string
  readonly keyId: string
  /** RFC 3339. What ended before it is not found. */
  readonly at: string
}

export interface MessageFacts {
  /** Null for an unknown agent. */
  readonly signer: SignerState | null
  /** The answer to an earlier message with this key. */
  readonly earlier: AnsweredMessage | null
  /** Whether a message whose answer has not ended had the nonce. */
  readonly isNonceSpent: boolean
  /** See `voidBefore` of the restores. */
  readonly voidBefore: number | null
  /** False while the operator has never switched or scheduled anything: then no scope need be asked. */
  readonly hasSwitches: boolean
  /** False while the agent has never left anything: then no subject need be asked. */
  readonly hasOptedOut: boolean
  /** Also one that ended or was revoked. */
  readonly consent: Pick<ConsentRow, "requestDigest" | "validUntil" | "revokedAt"> | null
  /** Of the consent, on the day. */
  readonly events: number
  /** End of the message with which the event was counted; it may have passed. Null: it was not counted. */
  readonly countedUntil: string | null
}

export interface SignerState extends Pick<NamedSigner, "identityStatus" | "isUnknown"> {
  readonly key: Pick<NonNullable<NamedSigner["key"]>, "role" | "status"> | null
}

const facts = query((db, t) => {
  const { agent, agentKey, agentMessage, agentMessageMark, beaconConsent, beaconConsentDay, salesOptOut, salesSwitch } =
    t
  const at = bind("at")
  const exists = (rows: SQL) => isTrue(sql`exists (select 1 from ${rows})`)
  const markedBy = (mark: keyof MessageMarks) =>
    sql`(select ${agentMessageMark.messageId} from ${agentMessageMark} where ${eq(agentMessageMark.mark, bind(mark))})`
  return db
    .select({
      identityStatus: agent.identityStatus,
      headAcceptedAt: agent.headAcceptedAt,
      role: agentKey.role,
      keyStatus: agentKey.status,
      requestDigest: agentMessage.requestDigest,
      response: agentMessage.response,
      consentDigest: beaconConsent.requestDigest,
      validUntil: beaconConsent.validUntil,
      revokedAt: beaconConsent.revokedAt,
      grantedAt: beaconConsent.grantedAt,
      events: beaconConsentDay.events,
      restores: restoresOf(t),
      hasSwitches: exists(sql`${salesSwitch}`),
      hasOptedOut: exists(sql`${salesOptOut} where ${eq(salesOptOut.agentId, bind("agentId"))}`),
      isNonceSpent: exists(
        sql`${agentMessage} where ${and(sql`${agentMessage.id} = ${markedBy("nonceMark")}`, gt(agentMessage.expiresAt, at))}`,
      ),
      countedUntil: textOrNull(
        sql`(select ${agentMessage.expiresAt} from ${agentMessage} where ${agentMessage.id} = ${markedBy("eventMark")})`,
      ),
    })
    .from(ONE_ROW)
    .leftJoin(agent, eq(agent.agentId, bind("agentId")))
    .leftJoin(agentKey, and(eq(agentKey.keyId, bind("keyId")), eq(agentKey.agentId, agent.agentId)))
    .leftJoin(agentMessage, and(sql`${agentMessage.id} = ${markedBy("keyMark")}`, gt(agentMessage.expiresAt, at)))
    .leftJoin(
      beaconConsent,
      and(eq(beaconConsent.agentId, bind("agentId")), eq(beaconConsent.consentId, bind("consentId"))),
    )
    .leftJoin(
      beaconConsentDay,
      and(
        eq(beaconConsentDay.agentId, bind("agentId")),
        eq(beaconConsentDay.consentId, bind("consentId")),
        eq(beaconConsentDay.day, bind("day")),
      ),
    )
})

export function* readMessageFacts(question: MessageQuestion): Unit<MessageFacts> {
  const row = yield* first(facts, { ...question })
  if (!row) throw new Error("a statement without a table returned no row")
  const { identityStatus, headAcceptedAt, role, keyStatus, requestDigest, response, consentDigest, validUntil } = row
  const voidBefore = voidBeforeOf(row.restores)
  const isOlder = (at: string | null) => voidBefore !== null && at !== null && instant(at) < voidBefore
  // A consent from before a restore may have been revoked in the lost hours.
  const revokedAt = row.revokedAt ?? (isOlder(row.grantedAt) ? formatInstant(voidBefore ?? 0) : null)
  return {
    signer: identityStatus && {
      identityStatus,
      isUnknown:
        headAcceptedAt !== null &&
        isOlder(headAcceptedAt) &&
        (yield* isStatusUnknown({ agentId: question.agentId, headAcceptedAt })),
      key: role && keyStatus && { role, status: keyStatus },
    },
    earlier: requestDigest !== null && response !== null ? { requestDigest, response } : null,
    hasSwitches: row.hasSwitches === 1,
    hasOptedOut: row.hasOptedOut === 1,
    consent:
      consentDigest !== null && validUntil !== null ? { requestDigest: consentDigest, validUntil, revokedAt } : null,
    events: row.events ?? 0,
    voidBefore,
    isNonceSpent: row.isNonceSpent === 1,
    countedUntil: row.countedUntil,
  }
}
