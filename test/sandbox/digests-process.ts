/**
 * A process of its own that plays every journey with another sandbox key, and prints the digests of what must not depend on it. With `--write` it
 * writes them into the file that the tests compare with.
 */
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { JOURNEYS } from "../../schemas/agent-mode/journeys.ts"
import { playJourney } from "../../src/sandbox/play-journey.ts"
import { routes } from "../../src/server/app.ts"
import { testKey } from "../fixtures/buyers.ts"
import { ROOT } from "../fixtures/imports.ts"
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
if (process.argv.includes("--write")) {
  const inOrder = Object.fromEntries(JOURNEYS.map((journey) => [journey, digests[journey]]))
  const file = join(import.meta.dir, "journey-digests.json")
  writeFileSync(file, JSON.stringify(inOrder, null, 2))
  Bun.spawnSync([join(ROOT, "node_modules", ".bin", "biome"), "format", "--write", file], { cwd: ROOT })
} else process.stdout.write(JSON.stringify(digests))
