/** Journeys played once for all tests of a file, signed by a sandbox key of the tests. */
import type { Journey, JourneyResponse } from "../../schemas/agent-mode/journeys.ts"
import { CLOCK_DEFAULT } from "../../schemas/agent-mode/journeys.ts"
import { instant } from "../../src/core/time.ts"
import { playJourney } from "../../src/sandbox/play-journey.ts"
import { routes } from "../../src/server/app.ts"
import { testKey } from "../fixtures/buyers.ts"

/** A sandbox key of an installation. */
export const sandboxKey = testKey("svc:sandbox", 55)
export const SEED = 7
export const CLOCK = instant(CLOCK_DEFAULT)

const started = new Map<Journey, Promise<JourneyResponse>>()

export function played(journey: Journey): Promise<JourneyResponse> {
  let playing = started.get(journey)
  if (!playing) {
    playing = playJourney(journey, { seed: SEED, clock: CLOCK }, { signer: sandboxKey, routes })
    started.set(journey, playing)
  }
  return playing
}

/** The body of the answer to the last call of an operation. */
export function answerTo({ payload }: JourneyResponse, operationId: string): Record<string, unknown> {
  const step = payload.transcript.findLast(({ operation_id: id }) => id === operationId)
  if (!step?.response?.body) throw new Error(`the journey does not call ${operationId}`)
  return step.response.body as Record<string, unknown>
}
