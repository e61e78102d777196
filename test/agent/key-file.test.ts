import { afterEach, beforeEach, expect, test } from "bun:test"
import { randomBytes } from "node:crypto"
import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { createKeyFile, readKeyFile, replaceKeyFile } from "../../src/agent/key-file.ts"
import { generateKeyFile, signingKey } from "../../src/agent/keys.ts"
import { EXIT } from "../../src/base/exit.ts"
import { signWith, verifySignature } from "../../src/core/ed25519.ts"
import { keyIdOf } from "../../src/core/jwk.ts"

let folder: string
let path: string
const keys = generateKeyFile((length) => new Uint8Array(randomBytes(length)))
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "key-file-"))
  path = join(folder, "agent.json")
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

const exitOf = (action: () => unknown): unknown => {
  try {
    action()
  } catch (error) {
    return (error as { exit?: unknown }).exit
  }
  return "no error"
}

test("a saved key file loads unchanged, and only its owner can read it", () => {
  createKeyFile(path, keys)
  expect(statSync(path).mode & 0o777).toBe(0o600)
  expect(readKeyFile(path)).toEqual(keys)
})

test("the two keys differ and both can sign", () => {
  const operational = signingKey(keys.operational)
  expect(operational.keyId).toBe(keyIdOf(keys.operational.x))
  expect(verifySignature(operational.x, "text", signWith(operational.privateKey, "text"))).toBe(true)
  expect(keys.recovery.d).not.toBe(keys.operational.d)
})

test("saving never overwrites an existing file", () => {
  writeFileSync(path, "precious")
  expect(exitOf(() => createKeyFile(path, keys))).toBe(EXIT.USAGE)
  expect(readFileSync(path, "utf8")).toBe("precious")
})

test("a replaced file keeps its mode and leaves no temporary file", () => {
  createKeyFile(path, keys)
  const agent_id = `svc:agent:${"A".repeat(32)}`
  replaceKeyFile(path, { ...keys, agent_id })
  expect(readKeyFile(path).agent_id).toBe(agent_id)
  expect(statSync(path).mode & 0o777).toBe(0o600)
  expect(readdirSync(folder)).toEqual(["agent.json"])
})

const damaged = { ...keys.operational, x: keys.recovery.x }
const contents: readonly [string, string, unknown][] = [
  ["not JSON", "{", EXIT.NOT_CHECKED],
  ["a duplicate member", '{"operational":1,"operational":2}', EXIT.NOT_CHECKED],
  ["an unknown member", JSON.stringify({ ...keys, extra: 1 }), EXIT.NOT_CHECKED],
  ["a missing recovery key", JSON.stringify({ operational: keys.operational }), EXIT.NOT_CHECKED],
  ["a public half of another key", JSON.stringify({ ...keys, operational: damaged }), EXIT.INVALID],
  ["the same key in both roles", JSON.stringify({ operational: keys.recovery, recovery: keys.recovery }), EXIT.INVALID],
  ["too many bytes", " ".repeat(70_000), EXIT.NOT_CHECKED],
]
for (const [what, content, exit] of contents) {
  test(`a file with ${what} is rejected with exit ${exit}`, () => {
    writeFileSync(path, content, { mode: 0o600 })
    expect(exitOf(() => readKeyFile(path))).toBe(exit)
  })
}

test("a file that others can read is rejected, and a missing file is reported as not found", () => {
  createKeyFile(path, keys)
  chmodSync(path, 0o640)
  expect(exitOf(() => readKeyFile(path))).toBe(EXIT.CONFIG)
  expect(exitOf(() => readKeyFile(join(folder, "none.json")))).toBe(EXIT.NOT_FOUND)
})
