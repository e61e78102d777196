/** One turn of a dialogue: signed in, signed out, in codes. */
import type {
  AgentDialogueResponse,
  AgentDialogueResponsePayload,
  SignedAgentDialogue,
} from "../../../../schemas/agent-mode/dialogue.ts"
import { canonicalize } from "../../../core/canonical-json.ts"
import type { Digest } from "../../../core/digest.ts"
import { formatId, ID_RANDOM_BYTES } from "../../../core/ids.ts"
import { type SignedAnswer, signedAnswer } from "../../../core/signer.ts"
import { DAY, formatInstant, HOUR, instant, MINUTE, SECOND, waitSeconds } from "../../../core/time.ts"
import type { Call, Reply } from "../../../http/call.ts"
import { type Dialogue, hasOpenDialogues, keepDialogue } from "../../../store/agent-mode/dialogues.ts"
import { nthNewestTurn } from "../../../store/agent-mode/messages.ts"
import { acknowledgeOffer, insertOffer, presentOffer } from "../../../store/agent-mode/offers.ts"
import type { Unit } from "../../../store/engine/unit.ts"
import { CONTRACT, NO_EFFECTS } from "../../answer-members.ts"
import type { AgentSalesDeps } from "../../deps.ts"
import type { ServedCatalogue } from "../../served-catalogue.ts"
import { type Acted, type Acting, ANSWER_KEPT_MS, actOnMessage, type Written } from "../messages/act-on-message.ts"
import { requireCurrent } from "../messages/message-times.ts"
import { type ReceivedMessage, requireSigned } from "../messages/received-message.ts"
import { type Refusal, refusal, refusalError } from "../messages/refusal.ts"
import { answerQuestions, type DialogueFacts } from "./answer-questions.ts"
import { acknowledgedBy, type DialogueBasis, isSameBasis, readBasis } from "./dialogue-basis.ts"
import { type MadeOffers, makeOffers, PRESENTATIONS_MAX } from "./make-offers.ts"
import { currentTerms, type IsCurrent } from "./offer-terms.ts"
import { channelRefusal, optOutRefusal, salesStop } from "./stops.ts"

/** CHOICE: a dialogue ends a day after its last turn. One agent has at most 20 open, and 200 turns in 24 hours. */
export const DIALOGUE_HOURS = 24
const OPEN_DIALOGUES_MAX = 20
const TURNS_PER_DAY_MAX = 200
/** CHOICE: an answer holds for fifteen minutes. */
const ANSWER_MINUTES = 15
/** CHOICE: an offer is found for 90 days after its end. */
export const OFFER_KEPT_DAYS = 90
const TRIES = 3

const CHANGED = refusal(
  "DIALOGUE_TURN_CONFLICT",
  "STATE_CHANGED",
  "Another message of this agent changed what the answer was made from; send the same bytes again.",
)

interface Turn {
  readonly deps: AgentSalesDeps
  readonly catalogue: ServedCatalogue
  readonly isCurrent: IsCurrent
  readonly body: SignedAgentDialogue
  /** Milliseconds. */
  readonly at: number
}

interface Prepared {
  readonly basis: DialogueBasis
  readonly answer: SignedAnswer<AgentDialogueResponsePayload>
  readonly made: MadeOffers
}

export async function replyDialogue(
  deps: AgentSalesDeps,
  catalogue: ServedCatalogue,
  call: Call<SignedAgentDialogue>,
): Promise<Reply> {
  const { body, at } = call
  requireCurrent(body, at)
  const message = await requireSigned(deps, body, "SALES_DIALOGUE", call)
  await deps.refreshKeys()
  const acted = await answered(deps, catalogue, body, message)
  if (acted.kind === "REFUSED") throw refusalError(acted, deps.baseUrl())
  return { status: 200, body: acted.response, note: { channel: body.channel, topic: body.topic, turn: body.turn } }
}

/** Nothing is signed inside a unit. So the answer is made first, and made again if another message changed what it was made from. */
async function answered(
  deps: AgentSalesDeps,
  catalogue: ServedCatalogue,
  body: SignedAgentDialogue,
  message: ReceivedMessage,
): Promise<Acted> {
  const { store } = deps
  const products = [...catalogue.lines.keys()]
  for (let tries = 1; ; tries++) {
    const isCurrent = currentTerms(deps, catalogue)
    const basis = await store.readTogether(() => readBasis(body, products, isCurrent, message.at))
    const turn = { deps, catalogue, isCurrent, body, at: message.at }
    const prepared = turnRefusal(body, basis.dialogue, message.at) ? null : prepare(turn, message.requestDigest, basis)
    const acted = await store.run(() => actOnMessage(message, actingOn(turn, prepared)))
    if (acted !== CHANGED || tries === TRIES) return acted
  }
}

/** `prepared` is null if the turn was not the next one. */
function actingOn({ deps, catalogue, isCurrent, body, at }: Turn, prepared: Prepared | null): Acting {
  const { agent_id: agentId, channel } = body
  return {
    cap: "DIALOGUE_TURNS",
    *conditions(isRepeat, { hasSwitches }): Unit<Refusal | null> {
      const stopped = (yield* salesStop(deps.isOn.sales, channel)) ?? (yield* optOutRefusal(agentId, channel, null))
      if (stopped) return stopped
      const isNew = body.turn === 0 && !isRepeat
      if (isNew && (yield* hasOpenDialogues(agentId, OPEN_DIALOGUES_MAX, formatInstant(at)))) {
        const detail = `At most ${OPEN_DIALOGUES_MAX} dialogues are open at a time.`
        return refusal("POLICY_CONFLICT", "OPEN_DIALOGUES", detail)
      }
      return yield* channelRefusal(channel, catalogue.channels, at, hasSwitches)
    },
    *turn(): Unit<Refusal | null> {
      const tooMany = yield* turnsRefusal(body, at)
      if (tooMany) return tooMany
      const basis = yield* readBasis(body, [...catalogue.lines.keys()], isCurrent, at)
      const refused = turnRefusal(body, basis.dialogue, at)
      if (refused) return refused
      return prepared !== null && isSameBasis(basis, prepared.basis) ? null : CHANGED
    },
    *write() {
      if (prepared === null) throw new Error("a turn without an answer was not refused")
      return yield* writeTurn(body, prepared, at)
    },
    *repeat(response): Unit<Refusal | null> {
      const { payload, signature } = JSON.parse(response) as AgentDialogueResponse
      const key = deps.findKey(signature.key_id)
      // CHOICE: an answer that no longer holds is not given again, and its own dialogue goes no further.
      if (!key || key.status === "REVOKED") {
        return withheld("ANSWER_KEY_REVOKED", "The key that signed the answer is revoked.")
      }
      if (!payload.offers.every(isCurrent)) {
        return withheld("OFFER_NOT_CURRENT", "The price, network or key of an offer in the answer has changed.")
      }
      for (const product of new Set(payload.answers.map(({ product_id }) => product_id))) {
        const left = yield* optOutRefusal(agentId, null, product)
        if (left) return left
      }
      for (const { payload: offer } of payload.offers) yield* presentOffer(offer.offer_capsule_id, PRESENTATIONS_MAX)
      return null
    },
  }
}

function* writeTurn(body: SignedAgentDialogue, { basis, answer, made }: Prepared, at: number): Unit<Written> {
  const { agent_id: agentId } = body
  for (const id of acknowledgedBy(body, basis.dialogue)) yield* acknowledgeOffer(agentId, id)
  for (const id of made.repeated) yield* presentOffer(id, PRESENTATIONS_MAX)
  for (const capsule of made.minted) {
    const { offer_capsule_id: offerCapsuleId, product_id: productId, valid_until: validUntil } = capsule.payload
    yield* insertOffer({ offerCapsuleId, agentId, productId, validUntil, capsule: canonicalize(capsule) })
  }
  const ids = made.offers.map(({ payload }) => payload.offer_capsule_id)
  yield* keepDialogue({
    agentId,
    dialogueId: body.dialogue_id,
    turn: body.turn,
    lastDigest: answer.digest,
    lastOffers: JSON.stringify(ids),
    endsAt: formatInstant(at + DIALOGUE_HOURS * HOUR),
  })
  return { response: canonicalize(answer), replayed: false }
}

const withheld = (reason: string, detail: string) =>
  refusal("POLICY_CONFLICT", reason, `${detail} Begin another dialogue.`)

/** Pure. Null: this is the next turn of the dialogue. */
function turnRefusal(body: SignedAgentDialogue, dialogue: Dialogue | null, at: number): Refusal | null {
  const conflict = (reason: string, detail: string) => refusal("DIALOGUE_TURN_CONFLICT", reason, detail)
  if (body.turn === 0) {
    if (dialogue) return conflict("DIALOGUE_EXISTS", "Turn 0 needs a dialogue id that this agent has not used.")
    return body.in_reply_to === null ? null : conflict("IN_REPLY_TO_DIFFERS", "Turn 0 replies to nothing.")
  }
  if (!dialogue) return conflict("DIALOGUE_UNKNOWN", "No such dialogue of this agent is open.")
  if (instant(dialogue.endsAt) <= at) return conflict("DIALOGUE_ENDED", "The dialogue has ended; begin another.")
  if (body.turn !== dialogue.turn + 1) return conflict("TURN_DIFFERS", "turn is the last one plus one.")
  if (body.in_reply_to === dialogue.lastDigest) return null
  return conflict("IN_REPLY_TO_DIFFERS", "in_reply_to is the digest of the last answer.")
}

function* turnsRefusal({ agent_id: agentId }: SignedAgentDialogue, at: number): Unit<Refusal | null> {
  // An answer is kept for 48 hours, so one of the last 24 hours ends after this time.
  const dayOld = at + ANSWER_KEPT_MS - DAY
  const end = yield* nthNewestTurn(agentId, TURNS_PER_DAY_MAX, formatInstant(dayOld))
  if (end === null) return null
  return {
    ...refusal("RATE_LIMITED", "TURNS_TODAY", `At most ${TURNS_PER_DAY_MAX} turns of one agent in 24 hours.`),
    retryAfterSeconds: waitSeconds(instant(end) - ANSWER_KEPT_MS + DAY, at, DAY / SECOND),
  }
}

function prepare({ deps, catalogue, body, at }: Turn, requestDigest: Digest, basis: DialogueBasis): Prepared {
  const { machine, environment } = deps
  const signer = deps.signer()
  const { parts } = catalogue
  const origin = deps.baseUrl()
  const facts: DialogueFacts = {
    lines: catalogue.lines,
    network: parts.network(),
    sourcesOf: (country) => parts.sources(country, at),
    hasSandbox: parts.hasSandbox(),
    hasAcpJobs: catalogue.channels.has("acp-job"),
    left: new Set(basis.left),
    linksTo: (path) => (catalogue.servesPath(path) ? [`${origin}${path}`] : []),
  }
  const { answers, unsupported, offerRequests } = answerQuestions(facts, body)
  const made = makeOffers(
    {
      facts,
      body,
      openOffer: (productId) => basis.open.find((offer) => offer.productId === productId) ?? null,
      isFull: (productId) => basis.full.includes(productId),
      isReady: parts.isReady,
      newId: () => formatId("ofr", machine.random(ID_RANDOM_BYTES)),
      signer,
      environment,
      baseUrl: origin,
      at,
    },
    offerRequests,
  )
  const payload: AgentDialogueResponsePayload = {
    ...CONTRACT,
    domain: "svc.sales.dialogue-response.v1",
    audience: body.agent_id,
    dialogue_id: body.dialogue_id,
    turn: body.turn,
    in_reply_to: requestDigest,
    channel: body.channel,
    answers: [...answers, ...made.answers],
    offers: [...made.offers],
    unsupported: [...unsupported],
    issued_at: formatInstant(at),
    expires_at: formatInstant(at + ANSWER_MINUTES * MINUTE),
    effects: NO_EFFECTS,
    limitations: ["CATALOGUE_FACTS_ONLY", "NO_RESERVATION", "NOT_A_DECISION"],
    next_machine_action: made.offers.length > 0 ? "REVIEW_OFFERS" : "CONTINUE_OR_STOP",
  }
  return { basis, answer: signedAnswer(signer, payload), made }
}
