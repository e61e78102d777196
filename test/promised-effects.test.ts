/**
 * The effects that docs/first-day.md and docs/operate.md promise of a setting: each sentence that names one is run here, or by a test that is
 * named here. A new sentence about a setting fails until it has a row.
 */
import { afterAll, beforeAll, describe, expect, test } from "bun:test"
import { routes } from "../src/app.ts"
import type { SettingName } from "../src/config.ts"
import { configFaults } from "../src/config-rules.ts"
import { createDataDirectory, openDataDirectory } from "../src/data/data-directory.ts"
import { createLog } from "../src/log.ts"
import { openService, type ServiceInput } from "../src/open-service.ts"
import { settings } from "../src/settings.ts"
import { freshDirectory } from "./fixtures/directories.ts"
import { sourceText } from "./fixtures/imports.ts"
import { BASE_URL, clockAt, defaults, testService } from "./fixtures/service.ts"

const START = Date.UTC(2026, 10, 28)
type Given = Partial<Record<SettingName, string>>

let folder: ReturnType<typeof freshDirectory>
beforeAll(async () => {
  folder = freshDirectory()
  await createDataDirectory(`${folder.path}/data`, "test", clockAt(START))
})
afterAll(() => folder[Symbol.dispose]())

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

/** Status and code of one call to a server with these settings. */
async function callWith(given: Given, path: string, body?: object): Promise<[number, string | undefined]> {
  await using running = await testService(clockAt(START), given)
  const headers = { "content-type": "application/json" }
  const init = body === undefined ? {} : { method: "POST", headers, body: JSON.stringify(body) }
  const answer = await routes(running.service).handle(new Request(BASE_URL + path, init))
  const type = answer.headers.get("content-type") ?? ""
  const code = type.includes("json") ? ((await answer.json()) as { code?: string }).code : undefined
  return [answer.status, code]
}

const AGENT_PLAN = "/v1/agent-mode/preflight"
const SELLING: Given = {
  payments: "test",
  rpc_url: "http://127.0.0.1:8545",
  pay_to: "0x1111111111111111111111111111111111111111",
  eth_usd: "3000",
}

/** A test elsewhere that runs the sentence. */
const heldBy = (file: string, title: string) => () =>
  expect([file, sourceText(file).includes(title)]).toEqual([file, true])

const PROMISES: readonly (readonly [sentence: string, holds: () => unknown])[] = [
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
    "With `backup_dir` and `backup_every` (hours) the service makes backups",
    heldBy("test/backup/backup-schedule.test.ts", "keeps the newest and never touches a file of another name"),
  ],
  [
    "`backup_lists = on` adds the lists; keys are never in them",
    heldBy("test/backup/backup-schedule.test.ts", "includesLists: true"),
  ],
  [
    "`payments`, `rpc_url`, `pay_to`, `relayer_key_file`, `eth_usd`",
    () => {
      const faults = configFaults(defaults({ payments: "test" }), "test").join("\n")
      for (const name of ["rpc_url", "pay_to", "relayer_key_file"]) expect(faults).toContain(name)
    },
  ],
  ["Set `admin_listen`, load", heldBy("test/admin/settings.test.ts", "the listener is off by default")],
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
    heldBy("test/payments/environment.test.ts", "loopback"),
  ],
  [
    "`serve` prints `listening http://HOST:PORT`",
    heldBy("test/scenarios/binary-lifecycle.test.ts", "one line on stdout"),
  ],
  [
    "With `payments = off` (the default) it serves everything except quotes",
    async () => {
      expect(await callWith({}, "/v1/agent-id")).toEqual([200, undefined])
      expect((await callWith({}, "/v1/us/federal/source-health"))[0]).toBe(200)
      expect(await callWith({}, "/status")).toEqual([200, undefined])
    },
  ],
  [
    "`PAYMENTS_OFF` | `payments = off`",
    heldBy("test/scenarios/operations/first-run.test.ts", "7 US products, PAYMENTS_OFF"),
  ],
  [
    "Each setting is a flag (`settle_wait_ms`",
    heldBy("test/config.test.ts", "a value gets the same check from every place"),
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
    "Set `trusted_proxies` to the proxy's address",
    heldBy("test/http/client-address.test.ts", "with X-Forwarded-For %p counts as %p"),
  ],
  [
    "Without `trusted_proxies` all callers share one budget",
    heldBy("test/http/bodies-on-the-way.test.ts", "behind a trusted proxy each client is counted separately"),
  ],
  [
    "Set `TimeoutStopSec` to more than `shutdown_seconds`",
    heldBy("test/scenarios/binary-lifecycle.test.ts", "does not finish within shutdown_seconds is cut"),
  ],
  [
    "waits up to `shutdown_seconds` for running requests",
    heldBy("test/scenarios/binary-lifecycle.test.ts", "does not finish within shutdown_seconds is cut"),
  ],
  ["Any other address needs `admin_token_file`", heldBy("test/admin/settings.test.ts", "%s needs a token")],
  ["Give each process its own `admin_listen`", heldBy("test/admin/settings.test.ts", "the listener is off by default")],
  [
    "On a loopback `listen`, pages of this machine may too",
    heldBy("test/mcp/refusals.test.ts", "pages of the service itself and of this machine may call"),
  ],
  [
    "or the mirror of `source_mirror`",
    heldBy("test/sources/fetch/plans.test.ts", "of %s uses only the mirror if one is set"),
  ],
  [
    "SAM's key (`sam_key_file`) is optional",
    heldBy("test/sources/fetch/plans.test.ts", "without a key have the newest name on SAM's page"),
  ],
  [
    "`sources_disabled` switches a list off",
    async () => {
      await using running = await testService(clockAt(START), { sources_disabled: "US_TRADE_CSL" })
      const states = running.service.sources.states(START)
      expect(states.find(({ sourceId }) => sourceId === "US_TRADE_CSL")?.health).toBe("DISABLED")
    },
  ],
  [
    "`SOURCE_DISABLED` | the list is in `sources_disabled`",
    heldBy("test/products/gb/configured-sources.test.ts", "a source that the operator disabled is off"),
  ],
  [
    "With a Companies House API key in the file of `uk_companies_house_key_file`",
    heldBy("test/products/gb/configured-sources.test.ts", "a key for the live register replaces the file"),
  ],
  [
    "share one budget of requests (`uk_companies_house_requests` in five minutes)",
    heldBy("test/sources/publishers/uk-companies-house/rest-budget.test.ts", "is not refilled by a restart"),
  ],
  [
    "an hour after the restore, when both nodes have named every transfer to `pay_to`",
    heldBy("test/delivery/after-restore.test.ts", "the payments of the lost hours are found"),
  ],
  ["`DISK_LOW` | free disk space is below `disk_free_min_mb`", heldBy("test/readiness-views.test.ts", "DISK_LOW")],
  [
    "`CHALLENGE_ISSUANCE_DISABLED` | `challenge_issuance = off`",
    async () =>
      expect(await callWith({ challenge_issuance: "off" }, "/v1/agent-identities/challenges", {})).toEqual([
        503,
        "CHALLENGE_ISSUANCE_DISABLED",
      ]),
  ],
  [
    "a caller wanted to prove its mailbox, and `mail = off`",
    heldBy("test/contact/refusals.test.ts", "EMAIL_CONTACT_DISABLED"),
  ],
  [
    "`SIGNATURE_VERIFICATION_DISABLED` | `signature_verification = off`",
    async () =>
      expect(await callWith({ signature_verification: "off" }, "/v1/agent-signatures/verify", {})).toEqual([
        503,
        "SIGNATURE_VERIFICATION_DISABLED",
      ]),
  ],
  [
    "`AGENT_MODE_PLANNING_DISABLED` | `agent_mode_planning = off`, as it is by default",
    async () => expect(await callWith({}, AGENT_PLAN, {})).toEqual([503, "AGENT_MODE_PLANNING_DISABLED"]),
  ],
  [
    "`WRONG_CHAIN` | a node serves another chain or token",
    heldBy("test/payments/readiness.test.ts", "a node of another chain, from the start or behind the same URL later"),
  ],
  [
    "`wrong_chain` | correct `rpc_url`",
    heldBy("test/payments/readiness.test.ts", "is named in the reasons and in the log"),
  ],
  ["`SINGLE_NODE` | set `rpc_url_second`", heldBy("test/payments/environment.test.ts", "SINGLE_NODE")],
  [
    "`FACILITATOR_UNAVAILABLE` | `facilitator_url` does not respond",
    heldBy("test/payments/readiness.test.ts", "a hosted facilitator must respond"),
  ],
  ["`CHAIN_UNAVAILABLE` | the node of `rpc_url`", heldBy("test/delivery/open-delivery.test.ts", "CHAIN_UNAVAILABLE")],
  ["`GAS_TOO_EXPENSIVE` | gas would cost more", heldBy("test/delivery/open-delivery.test.ts", "GAS_TOO_EXPENSIVE")],
  [
    "`settlement_slow`, `gas_too_expensive` | look at",
    heldBy("test/delivery/settlement-check.test.ts", "settlement_slow"),
  ],
  ["`backup_failed` | read `said`", heldBy("test/backup/backup-schedule.test.ts", "backup_failed")],
  [
    "replace the file of `relayer_key_file`, restart every process",
    heldBy(
      "test/payments/former-relayer.test.ts",
      "and that never reached the node is sent by a process that has only the new key",
    ),
  ],
  [
    "if a transfer to `pay_to` since the backup is unknown to the database, or the nodes do not answer, it refuses",
    heldBy(
      "test/scenarios/operations/newest-backup.test.ts",
      "a restore with the declaration is refused while payments since the backup are unknown",
    ),
  ],
  [
    "`restore_scan_waits` | a node does not answer",
    heldBy("test/delivery/after-restore.test.ts", "a node that is away delays the scan"),
  ],
  [
    "`trusted_proxies_empty` | name the proxy",
    heldBy("test/service.test.ts", "a publicly reachable live service without a named proxy gets a warning"),
  ],
  ["look at the folder of `mail_in_socket`", heldBy("test/scenarios/mail/binary.test.ts", "mail_in_socket")],
  [
    "both must agree before an attempt ends",
    heldBy("test/chain-model/observed-payment.test.ts", "a payment that only one of two nodes has is pending"),
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
  test("that names a setting has a row here, and each row has its sentence", () => {
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
