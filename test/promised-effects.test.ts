/**
 * The effects that docs/first-day.md and docs/operate.md promise of a setting: each sentence that names one is run here, or by a test that is
 * named here. A new sentence about a setting fails until it has a row.
 */
import { afterAll, beforeAll, describe, expect, test as quickTest } from "bun:test"
import type { SettingName } from "../src/base/config.ts"
import { createLog } from "../src/base/log.ts"
import { settings } from "../src/base/settings.ts"
import { createDataDirectory, openDataDirectory } from "../src/data/data-directory.ts"
import { routes } from "../src/server/app.ts"
import { configFaults } from "../src/server/config-rules.ts"
import { openService, type ServiceInput } from "../src/server/open-service.ts"
import { freshDirectory } from "./fixtures/directories.ts"
import { sourceText } from "./fixtures/imports.ts"
import { PROMISED_BACKUP_EFFECTS } from "./fixtures/promised-backup-effects.ts"
import { PROMISED_EFFECTS, type Promised } from "./fixtures/promised-effects.ts"
import { closePaymentEffects, PROMISED_PAYMENT_EFFECTS } from "./fixtures/promised-payment-effects.ts"
import { HELD_ELSEWHERE } from "./fixtures/promises-held-elsewhere.ts"
import { BASE_URL, clockAt, defaults, testService } from "./fixtures/service.ts"
import { slowTests } from "./fixtures/slow-tests.ts"
import { titledTests } from "./fixtures/titled-tests.ts"

const test = slowTests(import.meta.path)
const START = Date.UTC(2026, 10, 28)
type Given = Partial<Record<SettingName, string>>

let folder: ReturnType<typeof freshDirectory>
beforeAll(async () => {
  folder = freshDirectory()
  await createDataDirectory(`${folder.path}/data`, "test", clockAt(START))
})
afterAll(async () => {
  await closePaymentEffects()
  folder[Symbol.dispose]()
})

/** Names of the background loops of a server with these settings. */
async function workersWith(given: Given): Promise<readonly string[]> {
  const machine = clockAt(START)
  const onFatal = (error: unknown): never => {
    throw error
  }
  const nothing = () => Promise.reject(new Error("nothing is started here"))
  const parts: Pick<ServiceInput, "fetchSource" | "backUp"> = { fetchSource: nothing, backUp: nothing }
  const dataDirectory = await openDataDirectory(`${folder.path}/data`, { machine, migrate: true, onFatal })
  const log = createLog("error", () => {}, machine.now)
  const service = await openService({
    dataDirectory,
    config: defaults(given),
    baseUrl: BASE_URL,
    machine,
    log,
    ...parts,
  })
  await service.close()
  return service.workers.map(({ name }) => name)
}

const FETCHES = "sources fetch"
const BACKS_UP = "backup"
const runs = async (worker: string, given: Given) => (await workersWith(given)).includes(worker)

const SELLING: Given = {
  payments: "test",
  rpc_url: "http://127.0.0.1:8545",
  pay_to: "0x1111111111111111111111111111111111111111",
  eth_usd: "3000",
}

const TITLED = await titledTests([...new Set(HELD_ELSEWHERE.map(({ file }) => file))])
const PROMISES: readonly Promised[] = [
  ...PROMISED_EFFECTS,
  ...PROMISED_PAYMENT_EFFECTS,
  ...PROMISED_BACKUP_EFFECTS,
  ...HELD_ELSEWHERE.map(
    ({ sentence, file, title, text }): Promised => [
      sentence,
      () => expect([title, TITLED.get(file)?.get(title)]).toEqual([title, expect.stringContaining(text)]),
    ],
  ),
  [
    "With `sources_fetch = on` the server [fetches them itself]",
    async () => {
      expect(await runs(FETCHES, { sources_fetch: "on" })).toBe(true)
      expect(await runs(FETCHES, { sources_contact: "ops@example.com" })).toBe(false)
    },
  ],
  [
    "With `sources_fetch = on` the service fetches by itself",
    async () => expect(await runs(FETCHES, { sources_fetch: "off" })).toBe(false),
  ],
  [
    "set `backup_dir` and `backup_every` for the [scheduled backups]",
    async () => {
      const backup_dir = `${folder.path}/backups`
      expect(await runs(BACKS_UP, { backup_dir, backup_every: "24" })).toBe(true)
      expect(await runs(BACKS_UP, { backup_dir, backup_every: "0" })).toBe(false)
    },
  ],
  [
    "`payments`, `rpc_url`, `pay_to`, `relayer_key_file`, `eth_usd`",
    () => {
      const faults = configFaults(defaults({ payments: "test" }), "test").join("\n")
      for (const name of ["rpc_url", "pay_to", "relayer_key_file"]) expect(faults).toContain(name)
    },
  ],
  [
    "`payments = test` works only if every RPC URL is loopback",
    () => {
      const faultsWith = (rpc_url: string) => configFaults(defaults({ ...SELLING, rpc_url }), "test").join("\n")
      expect(faultsWith("https://rpc.example")).toContain("loopback")
      expect(faultsWith("http://127.0.0.1:8545")).not.toContain("loopback")
    },
  ],
  [
    "On that chain `payments = test` requires that every RPC URL is loopback",
    () => {
      const second = { ...SELLING, rpc_url_second: "https://rpc.example" }
      expect(configFaults(defaults(second), "test").join()).toContain("loopback")
    },
  ],
  [
    "Set `base_url` to the public origin, because signatures name it",
    async () => {
      const machine = clockAt(START)
      await using running = await testService(machine, {}, "https://decisions.example")
      const answer = await routes(running.service).handle(new Request("http://localhost/v1/agent/service-proof"))
      expect(await answer.text()).toContain("https://decisions.example")
    },
  ],
  [
    "`sources_disabled` switches a list off",
    async () => {
      await using running = await testService(clockAt(START), { sources_disabled: "US_TRADE_CSL" })
      const states = running.service.sources.states(START)
      expect(states.find(({ sourceId }) => sourceId === "US_TRADE_CSL")?.health).toBe("DISABLED")
    },
  ],
]

/** Sentences and table rows of a page outside its code blocks, white space folded. */
function sentencesOf(page: string): readonly string[] {
  const text = sourceText(page).replace(/^```[\s\S]*?^```/gm, "")
  const paragraphs = text.split(/\n(?=\s*\n|- |\| )/).map((one) => one.replace(/\s+/g, " ").trim())
  return paragraphs.flatMap((one) => (one.startsWith("|") ? [one] : one.split(/(?<=[.:]) (?=[A-Z`])/)))
}

const PAGES = ["docs/first-day.md", "docs/operate.md"]
const sentences = PAGES.flatMap(sentencesOf)

describe("a sentence of the first day or of the operator's page", () => {
  quickTest("that names a setting has a row here, and each row has its sentence", () => {
    const names = Object.keys(settings)
    const promises = sentences.filter((one) => names.some((name) => one.includes(`\`${name}`)))
    expect(promises.length).toBeGreaterThan(40)
    expect(promises.filter((one) => !PROMISES.some(([sentence]) => one.includes(sentence)))).toEqual([])
    const whole = PAGES.map((page) => sourceText(page).replace(/\s+/g, " ")).join(" ")
    expect(PROMISES.filter(([sentence]) => !whole.includes(sentence)).map(([sentence]) => sentence)).toEqual([])
  })

  test.each(PROMISES)("%s", async (_, holds) => {
    await holds()
  })
})
