import {
  acceptBeaconEvent,
  grantBeaconConsent,
  revokeBeaconConsent,
} from "../../../../schemas/agent-mode/beacon-operations.ts"
import {
  getIdentityAdoption,
  getMultichannelStatus,
  getOfferStatus,
  holdDialogue,
  optOutOfSales,
} from "../../../../schemas/agent-mode/sales-operations.ts"
import type { Operation } from "../../../../schemas/operation.ts"
import { formatInstant, MINUTE } from "../../../../src/core/time.ts"
import type { TestAgent } from "../../../fixtures/agent.ts"
import { BASE_URL } from "../../../fixtures/service.ts"
import type { Wallets } from "../proof-wallet/wallets.ts"
import { consent, dialogueTurn, event, type MessageSigner, optOut, revocation } from "../sales-test-server.ts"
import { bodyLines, type ErrorLine, limitLine, linesOf, paymentLines, sendText } from "./error-line.ts"

const IBAN = "GB33BUKB20201555555555"
const OTHER_DIGEST = `sha256:${"0".repeat(64)}`

type Members = Record<string, unknown>
type Message = (at: number, members?: Members, by?: MessageSigner) => Members

interface Said {
  readonly members?: Members
  /** Who sends it; the stage's agent by default. */
  readonly agent?: TestAgent
  readonly by?: MessageSigner
}

const signerOf = ({ agentId, operational: key }: TestAgent): MessageSigner => ({ key, agentId, audience: BASE_URL })

function post(stage: Wallets, row: Operation, body: Members): Promise<Response> {
  const path = row.path.replace("{consentId}", "consent-1")
  return sendText(stage, row, JSON.stringify(body), { path })
}

/** The route and what it takes. */
function speaker(row: Operation, message: Message) {
  const make = (stage: Wallets, { members = {}, agent = stage.agent, by = {} }: Said = {}) =>
    message(stage.service.clock.now(), members, { ...signerOf(agent), ...by })
  return { make, say: (stage: Wallets, said: Said = {}) => post(stage, row, make(stage, said)) }
}

const grant = speaker(grantBeaconConsent, consent)
const tell = speaker(acceptBeaconEvent, event)
const revoke = speaker(revokeBeaconConsent, revocation)
const talk = speaker(holdDialogue, dialogueTurn)
const leave = speaker(optOutOfSales, optOut)

/** A new agent with a consent that was granted. */
async function consenting(stage: Wallets, members: Members = {}): Promise<TestAgent> {
  const agent = await stage.service.enrol()
  const granted = await grant.say(stage, { agent, members })
  if (granted.status !== 201) throw new Error(`no consent: ${await granted.text()}`)
  return agent
}

/** The refusals of every signed message. `ready` makes an agent whose message is taken. */
function messageLines(
  row: Operation,
  { make, say }: ReturnType<typeof speaker>,
  ready: (stage: Wallets) => Promise<TestAgent> = async ({ service }) => service.enrol(),
): ErrorLine[] {
  const line = linesOf(row)
  const path = row.path.replace("{consentId}", "consent-1")
  const stale = (stage: Wallets) => ({ issued_at: formatInstant(stage.service.clock.now() + MINUTE) })
  return [
    ...bodyLines(row, path),
    ...paymentLines(row, 422, "PAYMENT_HEADER_FORBIDDEN", path),
    line(422, "RAW_BANK_DATA_REJECTED", (stage) => say(stage, { members: { idempotency_key: IBAN } })),
    line(422, "TIMESTAMP_REJECTED", (stage) => say(stage, { members: stale(stage) })),
    line(401, "AGENT_SIGNATURE_REJECTED", (stage) => say(stage, { by: { key: stage.other.operational } })),
    line(401, "AGENT_SIGNATURE_REJECTED", (stage) => say(stage, { by: { audience: "https://other.example" } })),
    line(401, "AGENT_SIGNATURE_REJECTED", (stage) => say(stage, { by: { key: stage.agent.recovery } })),
    line(401, "AGENT_SCOPE_REJECTED", (stage) => {
      const scope = row === optOutOfSales ? "SALES_DIALOGUE" : "SALES_OPT_OUT"
      return say(stage, { members: { scopes: [scope] } })
    }),
    line(409, "IDEMPOTENCY_CONFLICT", async (stage) => {
      const agent = await ready(stage)
      const members = { idempotency_key: "the-same-key" }
      await say(stage, { agent, members })
      return say(stage, { agent, members })
    }),
    line(409, "NONCE_REPLAY", async (stage) => {
      const agent = await ready(stage)
      const { nonce } = make(stage, { agent })
      await say(stage, { agent, members: { nonce } })
      return say(stage, { agent, members: { nonce, ...(row === holdDialogue && { dialogue_id: "dialogue-2" }) } })
    }),
    line(503, "STORE_UNAVAILABLE", (stage) => say(stage), "broken"),
  ]
}

/** The refusals of an agent that left. */
const leftLine = (row: Operation, { say }: ReturnType<typeof speaker>) =>
  linesOf(row)(409, "OPTED_OUT", async (stage) => {
    const agent = await stage.service.enrol()
    await leave.say(stage, { agent })
    return say(stage, { agent })
  })

function dialogueLines(): ErrorLine[] {
  const line = linesOf(holdDialogue)
  return [
    ...messageLines(holdDialogue, talk),
    leftLine(holdDialogue, talk),
    line(409, "KILL_SWITCH_ACTIVE", (stage) => talk.say(stage), "off"),
    line(409, "CHANNEL_NOT_ALLOWED", (stage) => talk.say(stage, { members: { channel: "external-mcp-registry" } })),
    line(409, "DIALOGUE_TURN_CONFLICT", (stage) =>
      talk.say(stage, { members: { turn: 1, in_reply_to: OTHER_DIGEST } }),
    ),
    line(409, "POLICY_CONFLICT", async (stage) => {
      const agent = await stage.service.enrol()
      for (let n = 0; n < 20; n++) await talk.say(stage, { agent, members: { dialogue_id: `dialogue-${n}` } })
      return talk.say(stage, { agent, members: { dialogue_id: "dialogue-20" } })
    }),
    line(503, "SIGNING_KEY_EXPIRED", (stage) => talk.say(stage), "expired"),
  ]
}

function optOutLines(): ErrorLine[] {
  const line = linesOf(optOutOfSales)
  return [
    ...messageLines(optOutOfSales, leave),
    line(422, "SCHEMA_INVALID", (stage) => leave.say(stage, { members: { scope: "PRODUCT" } })),
    line(503, "SIGNING_KEY_EXPIRED", (stage) => leave.say(stage), "expired"),
  ]
}

function consentLines(): ErrorLine[] {
  const line = linesOf(grantBeaconConsent)
  return [
    // A second consent under the same id is another one, so a repetition with other content names another id.
    ...messageLines(grantBeaconConsent, {
      ...grant,
      say: (stage, said = {}) =>
        grant.say(stage, { ...said, members: { consent_id: `consent-${crypto.randomUUID()}`, ...said.members } }),
    }),
    leftLine(grantBeaconConsent, grant),
    line(409, "KILL_SWITCH_ACTIVE", (stage) => grant.say(stage), "off"),
    line(409, "CONSENT_EXISTS", async (stage) => {
      const agent = await consenting(stage)
      return grant.say(stage, { agent, members: { max_events_per_day: 7 } })
    }),
    line(409, "POLICY_CONFLICT", (stage) => grant.say(stage, { members: { policy_version: "2.0.0" } })),
    line(422, "TIMESTAMP_REJECTED", (stage) =>
      grant.say(stage, { members: { valid_until: formatInstant(stage.service.clock.now()) } }),
    ),
    line(503, "SIGNING_KEY_EXPIRED", (stage) => grant.say(stage), "expired"),
  ]
}

function revocationLines(): ErrorLine[] {
  const line = linesOf(revokeBeaconConsent)
  return [
    ...messageLines(revokeBeaconConsent, revoke, consenting),
    line(409, "CONSENT_NOT_ACTIVE", async (stage) => revoke.say(stage, { agent: await stage.service.enrol() })),
    line(422, "SCHEMA_INVALID", (stage) => revoke.say(stage, { members: { consent_id: "consent-9" } })),
  ]
}

function eventLines(): ErrorLine[] {
  const line = linesOf(acceptBeaconEvent)
  const unproven = "external-mcp-registry"
  return [
    ...messageLines(acceptBeaconEvent, tell, consenting),
    leftLine(acceptBeaconEvent, tell),
    line(409, "KILL_SWITCH_ACTIVE", (stage) => tell.say(stage), "off"),
    line(409, "CONSENT_NOT_ACTIVE", async (stage) => tell.say(stage, { agent: await stage.service.enrol() })),
    line(409, "CONSENT_NOT_ACTIVE", async (stage) => {
      const agent = await consenting(stage)
      await revoke.say(stage, { agent })
      return tell.say(stage, { agent })
    }),
    line(409, "POLICY_CONFLICT", async (stage) => {
      const agent = await consenting(stage)
      return tell.say(stage, { agent, members: { event_kind: "INTENT_CLOSED" } })
    }),
    line(409, "CHANNEL_NOT_ALLOWED", async (stage) => {
      const agent = await consenting(stage)
      return tell.say(stage, { agent, members: { channel: "mcp" } })
    }),
    line(409, "CHANNEL_NOT_ALLOWED", async (stage) => {
      const agent = await consenting(stage, { channels: [unproven] })
      return tell.say(stage, { agent, members: { channel: unproven } })
    }),
    line(422, "TIMESTAMP_REJECTED", (stage) =>
      tell.say(stage, { members: { occurred_at: formatInstant(stage.service.clock.now() + MINUTE) } }),
    ),
  ]
}

function documentLines(row: Operation): ErrorLine[] {
  return [
    ...paymentLines(row, 422, "PAYMENT_HEADER_FORBIDDEN"),
    limitLine(row),
    linesOf(row)(503, "STORE_UNAVAILABLE", (stage) => sendText(stage, row, null), "broken"),
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
    ...[offer, path("nothing"), path("%20")].map((asked) =>
      line(404, "OFFER_NOT_FOUND", (stage) => sendText(stage, row, null, { path: asked })),
    ),
    line(503, "STORE_UNAVAILABLE", (stage) => sendText(stage, row, null, { path: offer }), "broken"),
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
