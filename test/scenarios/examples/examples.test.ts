/**
 * Every example of every command, typed as help prints it, in one folder. Only what {@link substitutions} lists is typed otherwise. The
 * server is a process of the program; a line runs in this process unless it needs a shell.
 */
import { afterAll, beforeAll, describe, expect, test } from "bun:test"
import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { untilOpened } from "../../../scripts/demo/until-opened.ts"
import { everyLoaded, exampleOf } from "../../../src/cli/command.ts"
import { commands } from "../../../src/cli/commands.ts"
import { formatInstant, HOUR } from "../../../src/core/time.ts"
import { type SmtpSink, smtpSink } from "../../contact/mail/smtp-sink.ts"
import { type Chain, DEV_ACCOUNTS, startChain } from "../../fixtures/chain.ts"
import { freshDirectory } from "../../fixtures/directories.ts"
import { type Mirror, mirrorOf } from "../../fixtures/mirror.ts"
import { HAS_POSTGRES, NOT_RUN } from "../../fixtures/postgres.ts"
import { newEmptyPostgresDatabase, type TestDatabase } from "../../fixtures/postgres-schema.ts"
import { programOnPath } from "../../fixtures/program-on-path.ts"
import type { CommandFolder } from "../../fixtures/typed-lines.ts"
import { enterJob, exampleSettings, fillExampleFolder } from "./example-folder.ts"
import { EXAMPLE_STEPS, type ExampleStep, SERVER_STEP } from "./example-steps.ts"
import { type Shown, typeExample } from "./type-example.ts"

const EXAMPLE_MS = 20_000
const directory = freshDirectory()
const folder = directory.path
const startedIn = process.cwd()
const examples = new Map((await everyLoaded(commands)).map((one) => [one.name, one.examples.map(exampleOf)]))

let chain: Chain
let mirror: Mirror
let sink: SmtpSink
let place: CommandFolder
const databases: TestDatabase[] = []
let server: { readonly origin: string; stop(): Promise<number | null> } | null = null

const readJson = (name: string) => JSON.parse(readFileSync(join(folder, name), "utf8"))

async function printedJson<T>(line: string): Promise<T> {
  return JSON.parse((await typeExample(`${line} --data ./data --json`, place)).out) as T
}

interface Substitution {
  readonly printed: string
  readonly typed: () => string | Promise<string>
  readonly because: string
}

const KEY_ID = "ed25519-kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4k"

/** Every difference between what help prints and what is typed. Each must occur in an example. */
const substitutions: readonly Substitution[] = [
  {
    printed: "http://127.0.0.1:8402",
    typed: () => server?.origin ?? "no server",
    because: "the port may be taken",
  },
  {
    printed: "0x2222222222222222222222222222222222222222",
    typed: () => DEV_ACCOUNTS.payer.address,
    because: "it is the wallet of the reader",
  },
  {
    printed: `keys revoke ${KEY_ID}`,
    typed: async () => `keys revoke ${(await printedJson<{ keys: { kid: string }[] }>("keys list")).keys[0]?.kid}`,
    because: "each data directory has other keys",
  },
  {
    printed: `buyers revoke-key org:example ${KEY_ID}`,
    typed: () => `buyers revoke-key org:example ${readJson("new-org.key.pub").kid}`,
    because: "each organization has other keys",
  },
  {
    printed: `buyers confirm org:example ${KEY_ID}`,
    typed: () => `buyers confirm org:example ${readJson("new-org.key.pub").kid}`,
    because: "each organization has other keys",
  },
  {
    printed: "svc:agent:AAECAwQFBgcICQoLDA0ODxAREhMUFRYX",
    typed: () => readJson("agent.json").agent_id,
    because: "each agent has another id",
  },
  {
    printed: "dec_AAECAwQFBgcICQoLDA0ODw",
    typed: () => readJson("delivery.json").decision_id,
    because: "each decision has another id",
  },
  {
    printed: "2026-11-29T03:00:00Z",
    typed: () => formatInstant(Date.now()),
    because: "each database has another newest payment",
  },
  {
    printed: "sup_AAECAwQFBgcICQoLDA0ODw",
    typed: async () => {
      const { suppressions } = await printedJson<{ suppressions: { suppression_id: string }[] }>("suppressions list")
      return String(suppressions[0]?.suppression_id)
    },
    because: "each judgement has another id",
  },
]

async function asTyped(line: string): Promise<string> {
  let typed = line
  for (const one of substitutions) {
    if (typed.includes(one.printed)) typed = typed.replaceAll(one.printed, await one.typed())
  }
  return typed
}

/** Types `serve` and returns when the server can sell. It ends with {@link stopServer}. */
async function serve(line: string): Promise<Shown> {
  const child = Bun.spawn(["bash", "-c", `exec bizauth ${line}`], {
    cwd: folder,
    env: place.environment,
    stdout: "pipe",
    stderr: "ignore",
  })
  const first = await child.stdout.getReader().read()
  const out = new TextDecoder().decode(first.value)
  const origin = /^listening (\S+)\n/.exec(out)?.[1]
  if (origin === undefined) throw new Error(`serve printed ${JSON.stringify(out)}`)
  server = {
    origin,
    stop: async () => {
      child.kill("SIGTERM")
      await child.exited
      return child.exitCode
    },
  }
  await untilOpened(origin)
  return { exit: 0, out, err: "" }
}

async function stopServer(): Promise<number | null> {
  const stopped = await server?.stop()
  server = null
  return stopped ?? null
}

/** What a person does between two commands without a command. */
const AFTERWARDS: Readonly<Record<string, (shown: Shown) => void | Promise<void>>> = {
  init: () => enterJob(join(folder, "data")),
  // The second example brought the database back.
  "database verify": async () => {
    if (databases.length > 1) return
    await enterDatabase("second.url")
    const moved = await typeExample("database move --to ./second.url --data ./data", place)
    expect(moved).toEqual({ ...moved, exit: 0 })
  },
  "keys export": ({ out }) => {
    if (out.startsWith("{")) writeFileSync(join(folder, "issuer.jwks.json"), out)
  },
  "agent enroll": async () => {
    const agentId = readJson("agent.json").agent_id
    const answer = await fetch(`${server?.origin}/v1/agent-identities/${agentId}/export`)
    writeFileSync(join(folder, "identity.json"), await answer.text())
  },
}

beforeAll(async () => {
  mirror = mirrorOf(Date.now() - 2 * HOUR)
  ;[chain, sink] = await Promise.all([startChain(), smtpSink(), fillExampleFolder(folder)])
  await chain.mint(DEV_ACCOUNTS.payer.address, 10_000_000n)
  place = { folder, environment: { ...programOnPath(folder), ...exampleSettings(chain, mirror.origin) } }
  process.chdir(folder)
}, EXAMPLE_MS)

afterAll(async () => {
  process.chdir(startedIn)
  await stopServer()
  mirror?.[Symbol.dispose]()
  await sink?.[Symbol.asyncDispose]()
  await chain?.stop()
  for (const database of databases) await database.drop()
  directory[Symbol.dispose]()
})

test("every command has an example that names it, and one place among the steps", () => {
  const placed = [...EXAMPLE_STEPS, SERVER_STEP].flatMap((step) => step.commands)
  expect(placed.toSorted()).toEqual(Object.keys(commands).toSorted())
  for (const [name, lines] of examples) {
    expect([name, lines.length > 0]).toEqual([name, true])
    for (const { line } of lines) expect(`${line} `).toStartWith(`${name} `)
  }
})

test("each substitution is for an example that exists", () => {
  const lines = [...examples.values()].flat().map(({ line }) => line)
  expect(substitutions.filter(({ printed }) => !lines.some((line) => line.includes(printed)))).toEqual([])
})

function typeExamples({ commands: names }: ExampleStep): void {
  const lines = names.flatMap((name) => (examples.get(name) ?? []).map((example) => ({ name, ...example })))
  test.each(lines)(
    "bizauth $line ends with $exit",
    async ({ name, line, exit }) => {
      const typed = await asTyped(line)
      const environment = name === "mail test" ? { ...place.environment, ...mailSettings() } : place.environment
      const shown = name === "serve" ? await serve(typed) : await typeExample(typed, { folder, environment })
      expect([typed, shown]).toEqual([typed, { ...shown, exit }])
      await AFTERWARDS[name]?.(shown)
    },
    EXAMPLE_MS,
  )
}

describe.each([...EXAMPLE_STEPS])("$title", typeExamples)

test("the server of the examples stops as it should", async () => {
  expect(await stopServer()).toBe(0)
})

describe.skipIf(!HAS_POSTGRES)(`${SERVER_STEP.title}${NOT_RUN}`, () => {
  beforeAll(() => enterDatabase("database.url"), EXAMPLE_MS)
  typeExamples(SERVER_STEP)
})

/** Writes the file that names a new empty database. */
async function enterDatabase(file: string): Promise<void> {
  const database = await newEmptyPostgresDatabase()
  databases.push(database)
  writeFileSync(join(folder, file), database.url, { mode: 0o600 })
}

function mailSettings(): Readonly<Record<string, string>> {
  writeFileSync(join(folder, "smtp.url"), `smtp://127.0.0.1:${sink.port}\n`, { mode: 0o600 })
  return {
    BIZAUTH_MAIL: "smtp",
    BIZAUTH_SMTP_URL_FILE: "./smtp.url",
    BIZAUTH_MAIL_FROM: "service@host.example",
    BIZAUTH_MAIL_IN_SOCKET: join(folder, "mail.sock"),
    BIZAUTH_MAIL_AUTHSERV_ID: "host.example",
  }
}
