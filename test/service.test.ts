import { expect, test } from "bun:test"
import { ConfigError } from "../src/config.ts"
import { clockAt, testService } from "./fixtures/service.ts"

const START = Date.UTC(2026, 0, 1)

test("a source id that does not exist cannot be switched off: the start is refused and names it", async () => {
  const start = testService(clockAt(START), { sources_disabled: "US_OFAC_SDN, US_OFAC_SND" })
  const refusal = await start.then(
    () => null,
    (error: unknown) => error,
  )
  expect(refusal).toBeInstanceOf(ConfigError)
  expect(String(refusal)).toContain("unknown source US_OFAC_SND;")
})

test("sources that are switched off are DISABLED, the others not", async () => {
  await using running = await testService(clockAt(START), { sources_disabled: "US_TRADE_CSL, US_OFAC_SDN" })
  expect(running.service.sources.states(START).map(({ sourceId, health }) => [sourceId, health])).toEqual([
    ["US_OFAC_CONSOLIDATED", "UNAVAILABLE"],
    ["US_OFAC_SDN", "DISABLED"],
    ["US_SAM_EXCLUSIONS", "UNAVAILABLE"],
    ["US_TRADE_CSL", "DISABLED"],
  ])
})
