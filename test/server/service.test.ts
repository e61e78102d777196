import { expect, test } from "bun:test"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { GB_PAYMENT_PRODUCT } from "../../schemas/gb/payment.ts"
import { ConfigError } from "../../src/base/config.ts"
import { createLog } from "../../src/base/log.ts"
import { createDataDirectory, openDataDirectory } from "../../src/data/data-directory.ts"
import { sliceOf } from "../../src/products/product-slices.ts"
import { isProxyUnnamed } from "../../src/server/config-rules.ts"
import { openService, type ServiceInput } from "../../src/server/open-service.ts"
import { importSource } from "../../src/sources/import/import-source.ts"
import { listSource } from "../../src/sources/import/source.ts"
import { ADAPTERS } from "../../src/sources/list-registry.ts"
import { CommitOutcomeUnknown, StoreUnavailable } from "../../src/store/engine/store-error.ts"
import { freshDirectory } from "../fixtures/directories.ts"
import { gbPaymentBody } from "../fixtures/gb.ts"
import { sampleLists } from "../fixtures/sample-lists.ts"
import { BASE_URL, clockAt, defaults, testService } from "../fixtures/service.ts"
import { asSourceFiles } from "../fixtures/source-files.ts"

const START = Date.UTC(2026, 0, 1)

test("an unknown source id cannot be disabled: the start fails and names it", async () => {
  const start = testService(clockAt(START), { sources_disabled: "US_OFAC_SDN, US_OFAC_SND" })
  const refusal = await start.then(
    () => null,
    (error: unknown) => error,
  )
  expect(refusal).toBeInstanceOf(ConfigError)
  expect(String(refusal)).toContain("unknown source US_OFAC_SND;")
})

test("disabled required sources are DISABLED and the others are not; the UK list does not belong to them", async () => {
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

test("publishers are queried with sources_fetch = on and a program for it; otherwise there is no worker and no time", async () => {
  using fresh = freshDirectory()
  const directory = join(fresh.path, "data")
  const machine = clockAt(START)
  await createDataDirectory(directory, "test", machine)
  const fetchSource = () => Promise.reject(new Error("nothing is started here"))
  const onFatal = (error: unknown) => {
    throw error
  }
  const log = createLog("error", () => {}, machine.now)
  const asks = async (sources_fetch: string, given: Pick<ServiceInput, "fetchSource">) => {
    const dataDirectory = await openDataDirectory(directory, { machine, migrate: true, onFatal })
    const config = defaults({ sources_fetch })
    const service = await openService({ dataDirectory, config, baseUrl: BASE_URL, machine, log, ...given })
    const times = service.sources.states(START).map(({ nextAttemptAt }) => nextAttemptAt !== null)
    await service.close()
    return [service.workers.some(({ name }) => name === "sources fetch"), ...new Set(times)]
  }
  expect(await asks("on", { fetchSource })).toEqual([true, true])
  expect(await asks("off", { fetchSource })).toEqual([false, false])
  expect(await asks("on", {})).toEqual([false, false])
})

test("the start reads the key of the live register once", async () => {
  using fresh = freshDirectory()
  const directory = join(fresh.path, "data")
  const machine = clockAt(START)
  await createDataDirectory(directory, "test", machine)
  const keyFile = join(fresh.path, "companies-house.key")
  writeFileSync(keyFile, "an-api-key\n", { mode: 0o600 })
  let reads = 0
  const config = Object.defineProperty({ ...defaults() }, "uk_companies_house_key_file", {
    get: () => {
      reads++
      return keyFile
    },
  })
  const onFatal = (error: unknown) => {
    throw error
  }
  const log = createLog("error", () => {}, machine.now)
  const dataDirectory = await openDataDirectory(directory, { machine, migrate: true, onFatal })
  const service = await openService({ dataDirectory, config, baseUrl: BASE_URL, machine, log })
  const { product } = sliceOf(service.slices, GB_PAYMENT_PRODUCT)
  const register = product.sources(gbPaymentBody(), START).find(({ sourceId }) => sourceId === "UK_COMPANIES_HOUSE")
  await service.close()
  expect([reads, register?.neverSetUp ?? false]).toEqual([1, false])
})

test.each([
  ["lacks leaves that the service saw", new StoreUnavailable("LOG_SHORTER")],
  ["does not say what it committed", new CommitOutcomeUnknown()],
])("a service whose database %s closes without an error", async (_, fault) => {
  await using running = await testService(clockAt(START), {})
  const fail = () => Promise.reject(fault)
  Object.assign(running.service.dataDirectory.store, { run: fail, read: fail })
  expect(await running.service.close().catch((error: unknown) => error)).toBeUndefined()
})

test("fetching from publishers and trusting only signed snapshots exclude each other: the start fails", async () => {
  const settings = { sources_fetch: "on", source_manifest_keys: "A".repeat(43) }
  await expect(testService(clockAt(START), settings)).rejects.toThrow(
    "source_manifest_keys allows signed snapshots alone",
  )
})

test("a publicly reachable live service without a named proxy gets a warning, because all clients would share one limit", () => {
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

test("a list that an earlier parser read is read again before the service answers", async () => {
  using fresh = freshDirectory()
  const directory = join(fresh.path, "data")
  const machine = clockAt(START)
  await createDataDirectory(directory, "test", machine)
  const onFatal = (error: unknown) => {
    throw error
  }
  const log = createLog("error", () => {}, machine.now)
  const dataDirectory = await openDataDirectory(directory, { machine, migrate: true, onFatal })
  const { store, paths } = dataDirectory
  const [earlier] = ADAPTERS.US_OFAC_SDN.earlierParsers
  const files = asSourceFiles(sampleLists({ publishedAt: START }).US_OFAC_SDN)
  const source = listSource({ ...ADAPTERS.US_OFAC_SDN, ...earlier })
  await importSource(
    { store, machine, root: paths.snapshots, environment: "test", source },
    { files, manifest: null, vouched: null, findings: [] },
    { retrievedAt: null, acceptShrink: null },
  )
  const service = await openService({ dataDirectory, config: defaults(), baseUrl: BASE_URL, machine, log })
  const sdn = service.sources.states(START).find(({ sourceId }) => sourceId === "US_OFAC_SDN")
  await service.close()
  expect(earlier?.parserVersion).not.toBe(ADAPTERS.US_OFAC_SDN.parserVersion)
  expect(sdn?.snapshot?.parserVersion).toBe(ADAPTERS.US_OFAC_SDN.parserVersion)
})
