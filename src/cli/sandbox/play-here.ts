import type { Journey, JourneyResponse } from "../../../schemas/agent-mode/journeys.ts"
import type { Signer } from "../../core/signer.ts"
import { type JourneyStart, playJourney } from "../../sandbox/play-journey.ts"
import { routes } from "../../server/app.ts"

/** Plays a journey over the route map of this program. */
export function playHere(journey: Journey, start: JourneyStart, signer: Signer): Promise<JourneyResponse> {
  return playJourney(journey, start, { signer, routes })
}
