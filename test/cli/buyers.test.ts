import { afterEach, beforeEach, expect } from "bun:test"
import { readFileSync, statSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { CommandError, EXIT } from "../../src/base/exit.ts"
import { realMachine } from "../../src/base/machine.ts"
import { command as delegate } from "../../src/cli/agent/delegate.ts"
import { command as add } from "../../src/cli/buyers/add.ts"
import { command as addKey } from "../../src/cli/buyers/add-key.ts"
import { command as keygen } from "../../src/cli/buyers/keygen.ts"
import { command as list } from "../../src/cli/buyers/list.ts"
import { command as renew } from "../../src/cli/buyers/renew.ts"
import { command as revoke } from "../../src/cli/buyers/revoke.ts"
import { command as revokeKey } from "../../src/cli/buyers/revoke-key.ts"
import { type Command, readInput } from "../../src/cli/command.ts"
import { findCommand } from "../../src/cli/commands.ts"
import { digestOf } from "../../src/core/digest.ts"
import { keyIdOf } from "../../src/core/jwk.ts"
import { DAY, formatInstant } from "../../src/core/time.ts"
import type { DataDirectory } from "../../src/data/data-directory.ts"
import { type OpenedData, openedData } from "../fixtures/opened-data.ts"
import { slowTests } from "../fixtures/slow-tests.ts"

const test = slowTests(import.meta.path)

const ORGANIZATION = "org:example:acme"
const DIGEST = digestOf("acme")
let fresh: OpenedData["fresh"]
let data: string
let running: DataDirectory
let printed: string

beforeEach(async () => {
  ;({ fresh, data, running } = await openedData())
  printed = ""
})
afterEach(async () => {
  await running.store.close()
  fresh[Symbol.dispose]()
})

const terminal = {
  out: (text: string) => {
    printed += text
  },
  err: () => undefined,
  environment: {},
}

/** Exit code of a command, and its message when it refused. */
async function run(command: Command, ...args: string[]): Promise<{ exit: number; message: string }> {
  try {
    return { exit: await command.run(readInput(command, args, terminal)), message: "" }
  } catch (error) {
    if (!(error instanceof CommandError)) throw error
    return { exit: error.exit, message: error.message }
  }
}

async function makeMandateKey(name: string): Promise<{ path: string; keyId: string }> {
  const path = join(fresh.path, name)
  printed = ""
  await run(keygen, "--out", path, "--json")
  return { path, keyId: JSON.parse(printed).key_id }
}

function addArguments(keyFiles: string, changes: Record<string, string> = {}): string[] {
  const flags: Record<string, string> = {
    data,
    organization: ORGANIZATION,
    "legal-name": "Acme Example Inc.",
    digest: DIGEST,
    "verification-method": "IN_PERSON",
    "verification-reference": "case-1",
    "verified-at": formatInstant(realMachine.now() - DAY),
    "valid-until": formatInstant(realMachine.now() + 30 * DAY),
    "verified-by": "operator-1",
    "mandate-key": keyFiles,
    ...changes,
  }
  return Object.entries(flags).flatMap(([name, value]) => [`--${name}`, value])
}

async function listed() {
  printed = ""
  await run(list, "--data", data, "--json")
  return JSON.parse(printed).organizations
}

test("the parser finds every command by its words", async () => {
  for (const command of [keygen, add, addKey, renew, list, revoke, revokeKey, delegate]) {
    const found = findCommand(command.name.split(" "))
    expect((await found?.load())?.command).toBe(command)
  }
})

test("keygen saves the private half in a file that only its owner can read, prints neither half and overwrites nothing", async () => {
  const { path, keyId } = await makeMandateKey("org.key")
  const secret = JSON.parse(readFileSync(path, "utf8"))
  const open = JSON.parse(readFileSync(`${path}.pub`, "utf8"))
  expect(statSync(path).mode & 0o777).toBe(0o600)
  expect(keyIdOf(secret.x)).toBe(keyId)
  expect(open).toEqual({ crv: "Ed25519", kid: keyId, kty: "OKP", x: secret.x })
  expect(printed).not.toContain(secret.d)
  const before = readFileSync(path, "utf8")
  expect((await run(keygen, "--out", path)).exit).toBe(EXIT.USAGE)
  expect(readFileSync(path, "utf8")).toBe(before)
})

test("an organization is added once, with its keys and tolerance MEDIUM", async () => {
  const one = await makeMandateKey("one.key")
  const two = await makeMandateKey("two.key")
  expect(await run(add, ...addArguments(`${one.path}.pub,${two.path}.pub`))).toEqual({ exit: 0, message: "" })
  expect(await listed()).toMatchObject([
    { organization_id: ORGANIZATION, organization_digest: DIGEST, tolerance: "MEDIUM", status: "ACTIVE" },
  ])
  const keys = (await listed())[0].mandate_keys
  expect(keys.map((key: { key_id: string }) => key.key_id).sort()).toEqual([one.keyId, two.keyId].sort())
  const three = await makeMandateKey("three.key")
  expect((await run(add, ...addArguments(`${three.path}.pub`))).exit).toBe(EXIT.INVALID)
  expect((await listed())[0].mandate_keys).toHaveLength(2)
})

test("a public key is taken as exporters write it; its id is the thumbprint", async () => {
  const made = await makeMandateKey("org.key")
  const jwk = JSON.parse(readFileSync(`${made.path}.pub`, "utf8"))
  const exported = join(fresh.path, "exported.jwk")
  writeFileSync(exported, JSON.stringify({ ...jwk, kid: "mine", alg: "EdDSA", key_ops: ["verify"], ext: true }))
  expect(await run(add, ...addArguments(exported))).toEqual({ exit: 0, message: "" })
  expect((await listed())[0].mandate_keys).toMatchObject([{ key_id: made.keyId }])
})

test("contradictory or malformed input adds nothing", async () => {
  const good = await makeMandateKey("org.key")
  const write = (name: string, jwk: object) => {
    const path = join(fresh.path, name)
    writeFileSync(path, JSON.stringify(jwk))
    return path
  }
  const identity = Buffer.concat([Buffer.from([1]), Buffer.alloc(31)]).toString("base64url")
  const x = JSON.parse(readFileSync(`${good.path}.pub`, "utf8")).x
  const past = formatInstant(realMachine.now() - DAY)
  const future = formatInstant(realMachine.now() + DAY)
  const keyRows: readonly [keys: string, exit: number, says: RegExp][] = [
    [good.path, EXIT.INVALID, /private/],
    [`${good.path}.pub,${good.path}.pub`, EXIT.INVALID, /twice/],
    [join(fresh.path, "absent"), EXIT.NOT_FOUND, /cannot read \S+absent: there is no such file/],
    [write("small", { kty: "OKP", crv: "Ed25519", x: identity }), EXIT.INVALID, /KEY_SMALL_ORDER/],
    [write("short", { kty: "OKP", crv: "Ed25519", x: "AAAA" }), EXIT.INVALID, /KEY_ENCODING_INVALID/],
    [write("exported", { kty: "OKP", crv: "Ed25519", x, d: x, key_ops: ["sign"], ext: true }), EXIT.INVALID, /private/],
    [write("rsa", { kty: "RSA", n: "AQAB" }), EXIT.INVALID, /not an Ed25519/],
    [",", EXIT.USAGE, /no file/],
  ]
  for (const [keys, exit, says] of keyRows) {
    const refused = await run(add, ...addArguments(keys))
    expect([keys, refused.exit]).toEqual([keys, exit])
    expect(refused.message).toMatch(says)
  }
  const flagRows: Record<string, string>[] = [
    { organization: "-acme" },
    { digest: "sha256:ABC" },
    { tolerance: "NONE" },
    { "legal-name": " " },
    { "legal-name": "x".repeat(351) },
    { "verified-at": future },
    { "valid-until": past },
    { "valid-until": "tomorrow" },
  ]
  for (const changes of flagRows) {
    const { exit } = await run(add, ...addArguments(`${good.path}.pub`, changes))
    expect([changes, exit]).toEqual([changes, EXIT.USAGE])
  }
  expect(await listed()).toEqual([])
})

test("one key signs for one organization, and a further key is added by its name", async () => {
  const one = await makeMandateKey("one.key")
  const two = await makeMandateKey("two.key")
  await run(add, ...addArguments(`${one.path}.pub`))
  const other = { organization: "org:example:other" }
  expect((await run(add, ...addArguments(`${one.path}.pub`, other))).exit).toBe(EXIT.INVALID)
  expect((await run(addKey, "--data", data, ORGANIZATION, `${one.path}.pub`)).exit).toBe(EXIT.INVALID)
  expect((await run(addKey, "--data", data, "org:absent", `${two.path}.pub`)).exit).toBe(EXIT.NOT_FOUND)
  expect((await run(addKey, "--data", data, ORGANIZATION, two.path)).exit).toBe(EXIT.INVALID)
  expect((await run(addKey, "--data", data, ORGANIZATION, `${two.path}.pub`)).exit).toBe(EXIT.DONE)
  expect((await listed()).map((each: { mandate_keys: unknown[] }) => each.mandate_keys.length)).toEqual([2])
})

test("the revocation time of a key may become earlier, never later", async () => {
  const { path, keyId } = await makeMandateKey("org.key")
  await run(add, ...addArguments(`${path}.pub`))
  const at = (days: number) => formatInstant(realMachine.now() - days * DAY)
  const [older, old, recent] = [at(3), at(2), at(1)]
  const revoked = (since: string) =>
    run(revokeKey, "--data", data, "--since", since, "--reason", "laptop lost", ORGANIZATION, keyId)
  expect((await revoked(formatInstant(realMachine.now() + DAY))).exit).toBe(EXIT.USAGE)
  expect((await listed())[0].mandate_keys[0].status).toBe("ACTIVE")
  const rows: readonly [since: string, exit: number, stands: string][] = [
    [old, EXIT.DONE, old],
    [recent, EXIT.INVALID, old],
    [old, EXIT.INVALID, old],
    [older, EXIT.DONE, older],
  ]
  for (const [since, exit, stands] of rows) {
    expect((await revoked(since)).exit).toBe(exit)
    expect((await listed())[0].mandate_keys[0]).toMatchObject({ status: "REVOKED", revoked_since: stands })
  }
  const absent = ["--since", old, "--reason", "x", ORGANIZATION, "ed25519-absent"]
  expect((await run(revokeKey, "--data", data, ...absent)).exit).toBe(EXIT.NOT_FOUND)
})

test("renewing a verification needs a known organization and a verification that is still in force", async () => {
  const { path } = await makeMandateKey("org.key")
  await run(add, ...addArguments(`${path}.pub`))
  const validUntil = formatInstant(realMachine.now() + 90 * DAY)
  const again = (id: string, until = validUntil) =>
    run(
      renew,
      ...["--data", data, "--verification-method", "REGISTER_EXTRACT", "--verification-reference", "case-2"],
      ...["--verified-at", formatInstant(realMachine.now()), "--valid-until", until, "--verified-by", "operator-2", id],
    )
  expect((await again("org:absent")).exit).toBe(EXIT.NOT_FOUND)
  expect((await again(ORGANIZATION, formatInstant(realMachine.now()))).exit).toBe(EXIT.USAGE)
  expect((await listed())[0].verification.reference).toBe("case-1")
  expect((await again(ORGANIZATION)).exit).toBe(EXIT.DONE)
  expect((await listed())[0].verification).toMatchObject({ reference: "case-2", valid_until: validUntil })
})

test("an organization is revoked once, with a reason", async () => {
  const { path } = await makeMandateKey("org.key")
  await run(add, ...addArguments(`${path}.pub`))
  expect((await run(revoke, "--data", data, ORGANIZATION)).exit).toBe(EXIT.USAGE)
  expect((await run(revoke, "--data", data, "--reason", " ", ORGANIZATION)).exit).toBe(EXIT.USAGE)
  expect((await run(revoke, "--data", data, "--reason", "closed", "org:absent")).exit).toBe(EXIT.NOT_FOUND)
  expect((await listed())[0].status).toBe("ACTIVE")
  expect((await run(revoke, "--data", data, "--reason", "closed", ORGANIZATION)).exit).toBe(EXIT.DONE)
  expect((await listed())[0].status).toBe("REVOKED")
  expect((await run(revoke, "--data", data, "--reason", "closed", ORGANIZATION)).exit).toBe(EXIT.INVALID)
})
