/**
 * A file on the command line that is missing, inaccessible or not a file: each command reports it in one sentence, with the exit code for
 * its kind of file, and never shows a raw error of the operating system. Black box.
 */
import { afterAll, beforeAll, describe, expect, test } from "bun:test"
import { chmodSync, mkdirSync, readdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { commands } from "../../src/cli/commands.ts"
import { run, serve } from "../fixtures/binary.ts"
import { noPlainUser } from "../fixtures/bound-by-modes.ts"
import { freshDirectory } from "../fixtures/directories.ts"
import { runAsPlainUser } from "../fixtures/plain-user.ts"
import { writeSampleLists } from "../fixtures/sample-lists.ts"

const SERVER = "http://127.0.0.1:9"
const DIGEST = `sha256:${"0".repeat(64)}`
const VERIFIED = "--verified-at 2026-11-02T09:00:00Z --valid-until 2027-11-02T09:00:00Z --verified-by J"
const BUYER = `--organization o --legal-name n --digest ${DIGEST} --verification-method m --verification-reference r ${VERIFIED}`
const GRANT = `--server ${SERVER} --organization o --organization-digest ${DIGEST} --max-payment 1`
const WINDOW = `--audience ${SERVER} --action-type a`
const ADDRESS = `0x${"11".repeat(20)}`
const LISTING = `--provider ${ADDRESS} --offering o`
const JOB = `--job 7 --client ${ADDRESS} --provider ${ADDRESS}`

interface Reads {
  /** Command and the flag or operand that names the file; `%` is the file. */
  readonly typed: string
  /** Exits for: no such file, a folder, a file closed to this user. Null: a folder is taken. */
  readonly exits: readonly [number, number | null, number]
}

/** Documents: 4 for any fault. */
const document = (typed: string): Reads => ({ typed, exits: [4, 4, 4] })
/** Agents' key files. */
const agentKeys = (typed: string): Reads => ({ typed, exits: [5, 4, 7] })
/** Organizations' and snapshots' private keys, as every secret of the service. */
const secret = (typed: string): Reads => ({ typed, exits: [6, 6, 7] })
const publicKey = (typed: string): Reads => ({ typed, exits: [5, 4, 7] })
/** Lists; a folder without files has its own answer. */
const list = (typed: string): Reads => ({ typed, exits: [4, 4, 7] })
const configuration = (typed: string): Reads => ({ typed, exits: [6, 6, 6] })

const passphrase = (typed: string): Reads => ({ typed, exits: [7, 7, 7] })

const READS: readonly Reads[] = [
  configuration("init --data fresh --environment test --database-file %"),
  document("verify % --issuer jwks.json"),
  document("verify document.json --issuer %"),
  document("verify document.json --issuer jwks.json --request %"),
  { typed: "replay %", exits: [4, null, 4] },
  document("replay document.json --issuer %"),
  document("review verify % --issuer jwks.json"),
  document("review verify document.json --issuer %"),
  document("agent verify-bundle %"),
  document(`agent verify-signature % --server ${SERVER}`),
  agentKeys(`agent enroll --keys % --server ${SERVER}`),
  agentKeys(`agent sign --keys % --payload document.json ${WINDOW}`),
  document(`agent sign --keys enrolled.json --payload % ${WINDOW}`),
  document(`agent sign --keys enrolled.json --payload document.json --context % ${WINDOW}`),
  agentKeys("agent rotate --keys %"),
  agentKeys("agent revoke --keys % --identity --yes"),
  secret(`agent delegate --organization-key % --keys enrolled.json ${GRANT}`),
  agentKeys(`agent delegate --organization-key org.key --keys % ${GRANT}`),
  agentKeys("agent sign-request --keys % --request document.json --mandate-key org.key --out new.json"),
  document("agent sign-request --keys enrolled.json --request % --mandate-key org.key --out new.json"),
  document(`agent quote --server ${SERVER} --request % --out new.json`),
  document("agent pay --quote % --request document.json --wallet-key org.key --out new.json"),
  agentKeys(`agent recover --keys % --request document.json --server ${SERVER} --out new.json`),
  document(`agent recover --keys enrolled.json --request % --server ${SERVER} --out new.json`),
  document(`agent job draft % ${LISTING}`),
  document(`agent job draft document.json ${LISTING} --target-job %`),
  document(`agent job bind % --keys enrolled.json ${JOB}`),
  agentKeys(`agent job bind document.json --keys % ${JOB}`),
  document("agent job verify % --requirement document.json --job document.json --issuer jwks.json"),
  document("agent job verify document.json --requirement % --job document.json --issuer jwks.json"),
  document("agent job verify document.json --requirement document.json --job document.json --issuer %"),
  agentKeys(`agent dialogue --keys % --server ${SERVER} --topic PRICE`),
  agentKeys(`agent beacon consent --keys % --server ${SERVER} --consent consent-1 --channels http-api`),
  agentKeys(`agent beacon revoke --keys % --server ${SERVER} --consent consent-1`),
  agentKeys(
    `agent beacon event --keys % --server ${SERVER} --consent consent-1 --kind INTENT_OPENED --channel http-api`,
  ),
  agentKeys(`agent opt-out --keys % --server ${SERVER}`),
  agentKeys(`agent wallet import --keys % --server ${SERVER} --keep digest --until now document.json`),
  agentKeys(`agent wallet list --keys % --server ${SERVER}`),
  publicKey(`buyers add --data data ${BUYER} --tolerance HIGH --mandate-key %`),
  publicKey("buyers add-key o % --data data"),
  list("sources import US_TRADE_CSL % --data data"),
  list("sources import US_TRADE_CSL %.tar --data data"),
  list("sources import US_SAM_ENTITY % --data data"),
  list("sources verify %.tar"),
  secret("sources export US_TRADE_CSL --data data --out new.tar --key %"),
  document("screen --file % --data data"),
  document("screening changes --since 2026-01-01 --customers % --data data"),
  document("screening bench % --data data"),
  document("log audit --data data --since %"),
  configuration("config check --data data --config %"),
  configuration("config print --data data --config %"),
  document("backup verify %"),
  document("restore % --data new"),
  document("upgrade check %"),
  document("version --verify document.json --release-key %"),
  secret("release sign document.json --key %"),
  passphrase("backup new.tar.zst --data data --include-keys --passphrase-file %"),
  passphrase("backup verify document.json --passphrase-file %"),
  passphrase("restore document.json --data new --passphrase-file %"),
]

/** `%` is the new file. */
const WRITES: readonly string[] = [
  "agent keygen --out %",
  `agent sign --keys enrolled.json --payload document.json ${WINDOW} --out %`,
  "buyers keygen --out %",
  "sources keygen --out %",
  "release keygen --out %",
  "agent job schema --out %",
]

/** Flags whose file needs the results of a sale; the named test files cover them. */
const ELSEWHERE: Readonly<Record<string, string>> = {
  "database move --to": "test/data/database-move/move.test.ts",
  "database verify --against": "test/data/database-move/from-server.test.ts",
  "buyers sign-supplier --organization-key": "test/cli/buyers-supplier.test.ts",
  "verify --capsule": "test/cli/documents/verify.test.ts",
  "verify --check": "test/cli/documents/verify.test.ts",
  "agent verify-bundle --since": "test/cli/agent/verify-bundle.test.ts",
  "agent verify-bundle --receipt": "test/cli/agent/verify-bundle.test.ts",
  "agent sign-request --mandate": "test/cli/agent/sign-request.test.ts",
  "agent sign-request --mandate-key": "test/cli/agent/sign-request.test.ts",
  "agent sign-request --out": "test/cli/agent/sign-request.test.ts",
  "agent quote --out": "test/cli/agent/quote.test.ts",
  "agent pay --request": "test/cli/agent/pay.test.ts",
  "agent pay --wallet-key": "test/cli/agent/pay.test.ts",
  "agent pay --out": "test/cli/agent/pay.test.ts",
  "agent recover --out": "test/cli/agent/pay.test.ts",
  "agent job draft --out": "test/cli/agent/job.test.ts",
  "agent job bind --out": "test/cli/agent/job.test.ts",
  "export --out": "test/cli/documents/export.test.ts",
  "review export --out": "test/cli/review/review.test.ts",
  "agent dialogue --previous": "test/cli/agent/agent-mode.test.ts",
  "agent dialogue --out": "test/cli/agent/agent-mode.test.ts",
  ...Object.fromEntries(
    ["dialogue", "beacon consent", "opt-out", "plan", "readiness", "price", "routes", "reuse"].map((name) => [
      `agent ${name} --issuer`,
      "test/cli/agent/signed-answers.test.ts",
    ]),
  ),
  "sandbox run --out": "test/scenarios/command-line/sandbox.test.ts",
  "rehearse --out": "test/sandbox/rehearsal/rehearse.test.ts",
  "openapi --out": "test/cli/openapi.test.ts",
  "sources export --out": "test/cli/sources/export.test.ts",
  "screen --out": "test/cli/screening/output-file.test.ts",
  "screen --report": "test/cli/screening/output-file.test.ts",
  "suppressions add --screened": "test/cli/suppressions/suppressions.test.ts",
  "keys rotate --recovery-key": "test/scenarios/command-line/keys.test.ts",
  "keys revoke --recovery-key": "test/scenarios/command-line/keys.test.ts",
}

const directory = freshDirectory()
const folder = directory.path

beforeAll(async () => {
  const here = { cwd: folder }
  const must = async (typed: string) => {
    const { exit, err } = await run(typed.split(" "), here)
    if (exit !== 0) throw new Error(`${typed}: ${err}`)
  }
  writeFileSync(join(folder, "document.json"), "{}")
  for (const name of ["closed.json", "closed.json.tar"]) writeFileSync(join(folder, name), "{}", { mode: 0 })
  for (const name of ["folder", "folder.tar"]) mkdirSync(join(folder, name), { mode: 0o700 })
  await must("init --data data --environment test")
  const lists = writeSampleLists(join(folder, "lists"), { publishedAt: Date.now() })
  for (const [id, path] of Object.entries(lists)) await must(`sources import ${id} ${path} --data data`)
  await must("buyers keygen --out org.key")
  await must("agent keygen --out enrolled.json")
  await using server = await serve("data", [], here)
  const { out } = await run(["keys", "export", "--data", "data"], here)
  writeFileSync(join(folder, "jwks.json"), out)
  await must(`agent enroll --keys enrolled.json --server ${server.origin}`)
}, 60_000)

afterAll(() => {
  for (const name of readdirSync(folder)) if (name.startsWith("closed")) chmodSync(join(folder, name), 0o700)
  directory[Symbol.dispose]()
})

/** Runs the command and expects one sentence that names the file and shows no raw code of the operating system. */
function expectSentence(typed: string, file: string, exit: number): void {
  const ran = runAsPlainUser(typed.replace("%", file).split(" "), { cwd: folder })
  const sentence = ran.err.split("\n").filter((line) => line.startsWith("bizauth: "))
  expect([typed, file, ran.exit, sentence.length]).toEqual([typed, file, exit, 1])
  expect(sentence[0]).toContain(file)
  expect(sentence[0]).not.toMatch(/E[A-Z]{3,}: |: E[A-Z]{3,}$|\n {4}at /)
}

if (noPlainUser !== null) console.log(`skipped: ${noPlainUser}`)

describe.skipIf(noPlainUser !== null)("a missing or inaccessible file gives the same kind of error in", () => {
  test.each(READS)("$typed", ({ typed, exits: [missing, asFolder, closed] }) => {
    expectSentence(typed, "nowhere.json", missing)
    expectSentence(typed, "closed.json", closed)
    if (asFolder !== null) expectSentence(typed, "folder", asFolder)
  })
})

describe.skipIf(noPlainUser !== null)("an unusable output path gives the same kind of error in", () => {
  beforeAll(() => {
    mkdirSync(join(folder, "closed-folder"), { mode: 0o500 })
  })
  test.each(WRITES)("%s", (typed) => {
    expectSentence(typed, "nowhere/new.key", 2)
    expectSentence(typed, "document.json/new.key", 2)
    expectSentence(typed, "document.json", 2)
    expectSentence(typed, "closed-folder/new.key", 7)
  })
})

test("one of the tables has every flag and operand that names a file", async () => {
  const named: string[] = []
  for (const [name, load] of Object.entries(commands)) {
    const { command } = await load()
    for (const [flag, { value = "" }] of Object.entries(command.flags)) {
      if (flag === "config" || !FILE_VALUES.has(value) || (name === "sources verify" && flag === "key")) continue
      named.push(`${name} --${flag}`)
    }
  }
  const typed = [...READS.map((row) => row.typed), ...WRITES]
  const tried = (place: string) => {
    const flag = place.slice(place.indexOf(" --"))
    return typed.some((line) => line.startsWith(place.slice(0, -flag.length)) && line.includes(`${flag} %`))
  }
  expect(named.length).toBeGreaterThan(30)
  expect(named.filter((place) => !tried(place) && ELSEWHERE[place] === undefined)).toEqual([])
  expect(Object.keys(ELSEWHERE).filter((place) => !named.includes(place) || tried(place))).toEqual([])
})

const FILE_VALUES = new Set("FILE JWKFILES QUOTE JWKS CAPSULE ANSWER REQUEST DELIVERY FILE.tar|DIR".split(" "))
