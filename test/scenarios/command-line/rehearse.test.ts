/** A rehearsal in two processes. */
import { expect, test } from "bun:test"
import type { JourneyResponse } from "../../../schemas/agent-mode/journeys.ts"
import { canonicalize } from "../../../src/core/canonical-json.ts"
import { run } from "../../fixtures/binary.ts"
import { openRehearsalOperator } from "../../sandbox/rehearsal/rehearsal-operator.ts"

const MINUTE_MS = 60_000
const CLEAR = { legal_name: "Harbor Light Instruments LLC", identifiers: { uei: "ZQGGHJH74DW7" } }

test(
  "two processes give the same payload for the same draft, seed, clock and lists; another seed another one",
  async () => {
    using operator = await openRehearsalOperator()
    const file = operator.file({ supplier: CLEAR })
    const clock = new Date().toISOString()
    const payload = async (seed: string) => {
      const ran = await run(["rehearse", file, "--data", operator.data, "--seed", seed, "--clock", clock, "--json"])
      if (ran.out === "") throw new Error(ran.err)
      return canonicalize((JSON.parse(ran.out) as JourneyResponse).payload)
    }
    const first = await payload("7")
    expect(await payload("7")).toBe(first)
    expect(await payload("8")).not.toBe(first)
  },
  MINUTE_MS,
)
