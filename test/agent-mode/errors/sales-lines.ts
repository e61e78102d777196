import {
  acceptBeaconEvent,
  grantBeaconConsent,
  revokeBeaconConsent,
} from "../../../schemas/agent-mode/beacon-operations.ts"
import {
  getIdentityAdoption,
  getMultichannelStatus,
  getOfferStatus,
  holdDialogue,
  optOutOfSales,
} from "../../../schemas/agent-mode/sales-operations.ts"
import type { Operation } from "../../../schemas/operation.ts"
import { formatInstant, MINUTE } from "../../../src/core/time.ts"
import type { TestAgent } from "../../fixtures/agent.ts"
import { BASE_URL } from "../../fixtures/service.ts"
import { consent, dialogueTurn, event, type MessageSigner, optOut, revocation } from "../sales-test-server.ts"
import type { Wallets } from "../wallet/wallets.ts"
import { bodyLines, type ErrorLine, limitLine, linesOf, paymentLines, sendText } from "./error-line.ts"

const IBAN = "GB33BUKB20201555555555"
const OTHER_DIGEST = `sha256:${"0".repeat(64)}`

type Members = Record<string, unknown>
type Message = (at: number, members?: Members, by?: MessageSigner) => Members

interface Said {
  readonly members?: Members
  /** Who sends it; the given's agent by default. */
  readonly agent?: TestAgent
  readonly by?: MessageSigner
}

const signerOf = ({ agentId, operational: key }: TestAgent): MessageSigner => ({ key, agentId, audience: BASE_URL })

function post(given: Wallets, row: Operation, body: Members): Promise<Response> {
  const path = row.path.replace("{consentId}", "consent-1")
  return sendText(given, row, JSON.stringify(body), { path })
}

/** The route and what it takes. */
function speaker(row: Operation, message: Message) {
  const make = (given: Wallets, { members = {}, agent = given.agent, by = {} }: Said = {}) =>
    message(given.service.clock.now(), members, { ...signerOf(agent), ...by })
  return { make, say: (given: Wallets, said: Said = {}) => post(given, row, make(given, said)) }
}

const grant = speaker(grantBeaconConsent, consent)
const tell = speaker(acceptBeaconEvent, event)
const revoke = speaker(revokeBeaconConsent, revocation)
const talk = speaker(holdDialogue, dialogueTurn)
const leave = speaker(optOutOfSales, optOut)

/** A new agent with a consent that was granted. */
async function consenting(given: Wallets, members: Members = {}): Promise<TestAgent> {
  const agent = await given.service.enrol()
  const granted = await grant.say(given, { agent, members })
  if (granted.status !== 201) throw new Error(`no consent: ${await granted.text()}`)
  return agent
}

/** The refusals of every signed message. `ready` makes an agent whose message is taken. */
function messageLines(
  row: Operation,
  { make, say }: ReturnType<typeof speaker>,
  ready: (given: Wallets) => Promise<TestAgent> = async ({ service }) => service.enrol(),
): ErrorLine[] {
  const line = linesOf(row)
  const path = row.path.replace("{consentId}", "consent-1")
  const stale = (given: Wallets) => ({ issued_at: formatInstant(given.service.clock.now() + MINUTE) })
  return [
    ...bodyLines(row, path),
    ...paymentLines(row, 422, "PAYMENT_HEADER_FORBIDDEN", path),
    line(422, "RAW_BANK_DATA_REJECTED", (given) => say(given, { members: { idempotency_key: IBAN } })),
    line(422, "TIMESTAMP_REJECTED", (given) => say(given, { members: stale(given) })),
    line(401, "AGENT_SIGNATURE_REJECTED", (given) => say(given, { by: { key: given.other.operational } })),
    line(401, "AGENT_SIGNATURE_REJECTED", (given) => say(given, { by: { audience: "https://other.example" } })),
    line(401, "AGENT_SIGNATURE_REJECTED", (given) => say(given, { by: { key: given.agent.recovery } })),
    line(401, "AGENT_SCOPE_REJECTED", (given) => {
      const scope = row === optOutOfSales ? "SALES_DIALOGUE" : "SALES_OPT_OUT"
      return say(given, { members: { scopes: [scope] } })
    }),
    line(409, "IDEMPOTENCY_CONFLICT", async (given) => {
      const agent = await ready(given)
      const members = { idempotency_key: "the-same-key" }
      await say(given, { agent, members })
      return say(given, { agent, members })
    }),
    line(409, "NONCE_REPLAY", async (given) => {
      const agent = await ready(given)
      const { nonce } = make(given, { agent })
      await say(given, { agent, members: { nonce } })
      return say(given, { agent, members: { nonce, ...(row === holdDialogue && { dialogue_id: "dialogue-2" }) } })
    }),
    line(503, "STORE_UNAVAILABLE", (given) => say(given), "broken"),
  ]
}

/** The refusals of an agent that left. */
const leftLine = (row: Operation, { say }: ReturnType<typeof speaker>) =>
  linesOf(row)(409, "OPTED_OUT", async (given) => {
    const agent = await given.service.enrol()
    await leave.say(given, { agent })
    return say(given, { agent })
  })

function dialogueLines(): ErrorLine[] {
  const line = linesOf(holdDialogue)
  return [
    ...messageLines(holdDialogue, talk),
    leftLine(holdDialogue, talk),
    line(409, "KILL_SWITCH_ACTIVE", (given) => talk.say(given), "off"),
    line(409, "CHANNEL_NOT_ALLOWED", (given) => talk.say(given, { members: { channel: "external-mcp-registry" } })),
    line(409, "DIALOGUE_TURN_CONFLICT", (given) =>
      talk.say(given, { members: { turn: 1, in_reply_to: OTHER_DIGEST } }),
    ),
    line(409, "POLICY_CONFLICT", async (given) => {
      const agent = await given.service.enrol()
      for (let n = 0; n < 20; n++) await talk.say(given, { agent, members: { dialogue_id: `dialogue-${n}` } })
      return talk.say(given, { agent, members: { dialogue_id: "dialogue-20" } })
    }),
    line(503, "SIGNING_KEY_EXPIRED", (given) => talk.say(given), "expired"),
  ]
}

function optOutLines(): ErrorLine[] {
  const line = linesOf(optOutOfSales)
  return [
    ...messageLines(optOutOfSales, leave),
    line(422, "SCHEMA_INVALID", (given) => leave.say(given, { members: { scope: "PRODUCT" } })),
  ]
}

function consentLines(): ErrorLine[] {
  const line = linesOf(grantBeaconConsent)
  return [
    // A second consent under the same id is another one, so a repetition with other content names another id.
    ...messageLines(grantBeaconConsent, {
      ...grant,
      say: (given, said = {}) =>
        grant.say(given, { ...said, members: { consent_id: `consent-${crypto.randomUUID()}`, ...said.members } }),
    }),
    leftLine(grantBeaconConsent, grant),
    line(409, "KILL_SWITCH_ACTIVE", (given) => grant.say(given), "off"),
    line(409, "CONSENT_EXISTS", async (given) => {
      const agent = await consenting(given)
      return grant.say(given, { agent, members: { max_events_per_day: 7 } })
    }),
    line(409, "POLICY_CONFLICT", (given) => grant.say(given, { members: { policy_version: "2.0.0" } })),
    line(422, "TIMESTAMP_REJECTED", (given) =>
      grant.say(given, { members: { valid_until: formatInstant(given.service.clock.now()) } }),
    ),
    line(503, "SIGNING_KEY_EXPIRED", (given) => grant.say(given), "expired"),
  ]
}

function revocationLines(): ErrorLine[] {
  const line = linesOf(revokeBeaconConsent)
  return [
    ...messageLines(revokeBeaconConsent, revoke, consenting),
    line(409, "CONSENT_NOT_ACTIVE", async (given) => revoke.say(given, { agent: await given.service.enrol() })),
    line(422, "SCHEMA_INVALID", (given) => revoke.say(given, { members: { consent_id: "consent-9" } })),
    line(404, "NOT_FOUND", (given) =>
      sendText(given, revokeBeaconConsent, "{}", { path: revokeBeaconConsent.path.replace("{consentId}", "%ff") }),
    ),
  ]
}

function eventLines(): ErrorLine[] {
  const line = linesOf(acceptBeaconEvent)
  const unproven = "external-mcp-registry"
  return [
    ...messageLines(acceptBeaconEvent, tell, consenting),
    leftLine(acceptBeaconEvent, tell),
    line(409, "KILL_SWITCH_ACTIVE", (given) => tell.say(given), "off"),
    line(409, "CONSENT_NOT_ACTIVE", async (given) => tell.say(given, { agent: await given.service.enrol() })),
    line(409, "CONSENT_NOT_ACTIVE", async (given) => {
      const agent = await consenting(given)
      await revoke.say(given, { agent })
      return tell.say(given, { agent })
    }),
    line(409, "POLICY_CONFLICT", async (given) => {
      const agent = await consenting(given)
      return tell.say(given, { agent, members: { event_kind: "INTENT_CLOSED" } })
    }),
    line(409, "CHANNEL_NOT_ALLOWED", async (given) => {
      const agent = await consenting(given)
      return tell.say(given, { agent, members: { channel: "mcp" } })
    }),
    line(409, "CHANNEL_NOT_ALLOWED", async (given) => {
      const agent = await consenting(given, { channels: [unproven] })
      return tell.say(given, { agent, members: { channel: unproven } })
    }),
    line(422, "TIMESTAMP_REJECTED", (given) =>
      tell.say(given, { members: { occurred_at: formatInstant(given.service.clock.now() + MINUTE) } }),
    ),
  ]
}

function documentLines(row: Operation): ErrorLine[] {
  return [
    ...paymentLines(row, 422, "PAYMENT_HEADER_FORBIDDEN"),
    limitLine(row),
    linesOf(row)(503, "STORE_UNAVAILABLE", (given) => sendText(given, row, null), "broken"),
  ]
}

function offerLines(): ErrorLine[] {
  const row = getOfferStatus
  const path = (id: string) => row.path.replace("{offerCapsuleId}", id)
  const offer = path(`ofr_${"a".repeat(22)}`)
  const line = linesOf(row)
  return [
    ...paymentLines(row, 422, "PAYMENT_HEADER_FORBIDDEN", offer),
    limitLine(row, offer),
    ...[offer, path("nothing"), path("%20")].map((wanted) =>
      line(404, "OFFER_NOT_FOUND", (given) => sendText(given, row, null, { path: wanted })),
    ),
    line(503, "STORE_UNAVAILABLE", (given) => sendText(given, row, null, { path: offer }), "broken"),
  ]
}

export const SALES_LINES: readonly ErrorLine[] = [
  ...dialogueLines(),
  ...optOutLines(),
  ...documentLines(getMultichannelStatus),
  ...documentLines(getIdentityAdoption),
  ...offerLines(),
]

export const BEACON_LINES: readonly ErrorLine[] = [...consentLines(), ...revocationLines(), ...eventLines()]
