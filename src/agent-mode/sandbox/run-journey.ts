/** Checks a journey's request and has it played. It stores nothing. */
import {
  CLOCK_DEFAULT,
  isJourneyClock,
  type JourneyResponse,
  REHEARSAL,
  type RunSyntheticJourney,
  runSyntheticJourney,
} from "../../../schemas/agent-mode/journeys.ts"
import { type FieldError, ServiceError } from "../../base/errors.ts"
import { canonicalBytes } from "../../core/canonical-json.ts"
import { digestOf } from "../../core/digest.ts"
import { instant } from "../../core/time.ts"
import { memberGuard } from "../../http/body-guard.ts"
import type { Call, Reply } from "../../http/call.ts"
import type { Store } from "../../store/engine/unit.ts"
import { sharedAddress } from "../../store/free-writes/shared-address.ts"
import { findIdentity } from "../../store/identity/agent-identity.ts"
import { requireAgentOfNoService, requireSandboxOn, requireSyntheticProvider } from "../bootstrap/isolation.ts"
import type { RecentKeys } from "../bootstrap/recent-keys.ts"
import { JourneyQueue } from "./journey-queue.ts"

/** What a journey is played from. `clock` in milliseconds. */
interface WantedJourney extends Pick<RunSyntheticJourney, "journey" | "seed" | "rehearsal"> {
  readonly clock: number
}

export interface JourneyDeps {
  readonly store: Store
  readonly recentKeys: RecentKeys
  readonly environment: string
  /** Configuration `sandbox` and `sandbox_rehearsal`. */
  readonly isOn: { readonly sandbox: boolean; readonly rehearsal: boolean }
  /** Loads the sandbox at its first call. */
  readonly play: (wanted: WantedJourney) => Promise<JourneyResponse>
}

/** The draft of a rehearsal has the form of its product, whose own guard looks there. */
const requireNoBankData = memberGuard(runSyntheticJourney, "idempotency_key")

export function journeyReplies(deps: JourneyDeps) {
  const queue = new JourneyQueue()
  return (call: Call<RunSyntheticJourney>) => {
    requireNoBankData(call.body)
    return replyJourney(deps, queue, call)
  }
}

async function replyJourney(
  deps: JourneyDeps,
  queue: JourneyQueue,
  { body, client, at }: Pick<Call<RunSyntheticJourney>, "at" | "body" | "client">,
): Promise<Reply> {
  requireWellFormed(body)
  await requireIsolation(deps, body)
  deps.recentKeys.requireOneBody({
    operationId: runSyntheticJourney.id,
    client,
    idempotencyKey: body.idempotency_key,
    bodyDigest: digestOf(body),
  })
  const { journey, seed, rehearsal } = body
  const clock = clockOf(body, at)
  const played = await queue.run(sharedAddress(client), () =>
    deps.play({ journey, seed, clock, ...(rehearsal && { rehearsal }) }),
  )
  return { status: 200, body: canonicalBytes(played), note: { journey } }
}

/**
 * CHOICE: without a clock a rehearsal begins now, because the operator's lists are judged by it, and every other journey at one fixed
 * instant. The payload names the clock either way.
 */
function clockOf({ journey, clock }: RunSyntheticJourney, at: number): number {
  if (clock !== null) return instant(clock)
  return journey === REHEARSAL ? at : instant(CLOCK_DEFAULT)
}

/** Throws SCHEMA_INVALID for what the closed schema cannot say. */
function requireWellFormed({ journey, clock, rehearsal }: RunSyntheticJourney): void {
  const errors: FieldError[] = []
  if (clock !== null && !isJourneyClock(instant(clock))) {
    errors.push({ pointer: "/clock", code: "RANGE", expected: "an instant in the years 2020 to 2099, or null" })
  }
  if (journey === REHEARSAL && rehearsal === undefined) {
    errors.push({ pointer: "/rehearsal", code: "REQUIRED", expected: "product_id and request of the rehearsal" })
  }
  if (journey !== REHEARSAL && rehearsal !== undefined) {
    errors.push({ pointer: "/rehearsal", code: "ADDITIONAL", expected: `no such member without journey ${REHEARSAL}` })
  }
  if (errors.length > 0) throw new ServiceError("SCHEMA_INVALID", "Correct these members.", { errors })
}

async function requireIsolation({ store, environment, isOn }: JourneyDeps, body: RunSyntheticJourney): Promise<void> {
  const { agent_id: agentId, provider, journey } = body
  if (body.environment === "LIVE") {
    throw new ServiceError("ENVIRONMENT_ISOLATION", "A journey is synthetic: its environment is SANDBOX.")
  }
  if (agentId !== undefined) requireAgentOfNoService((await store.read(() => findIdentity(agentId))) !== null)
  requireSandboxOn(isOn.sandbox)
  requireSyntheticProvider(provider)
  if (journey === REHEARSAL && (!isOn.rehearsal || environment === "live")) {
    throw new ServiceError(
      "ECONOMIC_ISOLATION",
      "A rehearsal over HTTP would decide on this operator's lists for nothing. The operator may run bizauth rehearse.",
    )
  }
}
