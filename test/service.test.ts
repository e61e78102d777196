import { expect, test } from "bun:test"
import { ConfigError } from "../src/config.ts"
import { isProxyUnnamed } from "../src/service.ts"
import { clockAt, defaults, testService } from "./fixtures/service.ts"

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

test("required sources that are switched off are DISABLED, the others not; the UK list is no matter of theirs", async () => {
  await using running = await testService(clockAt(START), {
    sources_disabled: "US_TRADE_CSL, US_OFAC_SDN, UK_SANCTIONS_LIST",
  })
  expect(running.service.sources.states(START).map(({ sourceId, health }) => [sourceId, health])).toEqual([
    ["US_OFAC_CONSOLIDATED", "UNAVAILABLE"],
    ["US_OFAC_SDN", "DISABLED"],
    ["US_SAM_EXCLUSIONS", "UNAVAILABLE"],
    ["US_TRADE_CSL", "DISABLED"],
  ])
})

test("a live service that others reach is warned when no proxy is named, since all of them would share one budget", () => {
  const unnamed = (listen: string, trusted_proxies: string, environment: "test" | "live") =>
    isProxyUnnamed(defaults({ listen, trusted_proxies }), environment)
  for (const listen of ["0.0.0.0:8402", "[::]:8402", "192.0.2.1:443", "decisions.example:80"]) {
    expect(unnamed(listen, "", "live")).toBe(true)
    expect(unnamed(listen, "10.0.0.1", "live")).toBe(false)
    expect(unnamed(listen, "", "test")).toBe(false)
  }
  for (const listen of ["127.0.0.1:8402", "127.1.2.3:0", "[::1]:8402", "localhost:8402"]) {
    expect(unnamed(listen, "", "live")).toBe(false)
  }
})
