/** A process of its own that plays every journey with another sandbox key, and prints the digests of what must not depend on it. */
import { JOURNEYS } from "../../schemas/agent-mode/journeys.ts"
import { playJourney } from "../../src/sandbox/play-journey.ts"
import { routes } from "../../src/server/app.ts"
import { testKey } from "../fixtures/buyers.ts"
import { digestsOf } from "./journey-digests.ts"
import { CLOCK, SEED } from "./played.ts"

const digests: Record<string, unknown> = {}
for (const journey of JOURNEYS.toReversed()) {
  const response = await playJourney(
    journey,
    { seed: SEED, clock: CLOCK },
    { signer: testKey("svc:sandbox", 56), routes },
  )
  digests[journey] = digestsOf(response)
}
process.stdout.write(JSON.stringify(digests))
