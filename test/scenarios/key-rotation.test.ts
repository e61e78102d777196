/** The life of signing keys, and the results of `verify` and `replay` from files alone: exit codes that a script can rely on. */
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test"
import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { must } from "../../scripts/demo/buyer.ts"
import { networkIsolation } from "../../scripts/demo/isolated.ts"
import { HOUR } from "../../src/core/time.ts"
import { compiledBinary, type Running, run } from "../fixtures/binary.ts"
import {
  keepDelivery,
  openTestOperator,
  paymentFor,
  present,
  SCENARIO_MS,
  type Signed,
  type TestOperator,
} from "../fixtures/test-operator.ts"

setDefaultTimeout(SCENARIO_MS)

interface Bought {
  readonly signed: Signed
  readonly file: string
  readonly decisionId: string
  /** Key that signed the delivery. */
  readonly keyId: string
}

let operator: TestOperator
let server: Running
/** Bought before anything happens to a key. */
let bought: Bought
/** The keys published at that time, as a buyer stores them. */
let oldKeys: string
beforeAll(async () => {
  operator = await openTestOperator()
  server = await operator.serve()
  bought = await buy("first")
  oldKeys = await publishedKeys("old.jwks.json")
})
afterAll(() => operator[Symbol.asyncDispose]())

async function buy(name: string): Promise<Bought> {
  const signed = await operator.sign()
  const { bytes } = await present(server.origin, signed, await paymentFor(server.origin, signed))
  const delivery = JSON.parse(bytes) as { decision_id: string; proof_capsule: { signature: { key_id: string } } }
  return {
    signed,
    file: keepDelivery(operator, name, bytes),
    decisionId: delivery.decision_id,
    keyId: delivery.proof_capsule.signature.key_id,
  }
}

/** What the running server publishes now, in a file. */
async function publishedKeys(name: string): Promise<string> {
  writeFileSync(operator.path(name), await (await fetch(`${server.origin}/.well-known/jwks.json`)).text())
  return operator.path(name)
}

const keyIdsIn = (path: string) =>
  (JSON.parse(readFileSync(path, "utf8")) as { keys: { kid: string }[] }).keys.map(({ kid }) => kid)

const verify = (file: string, issuer: string, ...more: string[]) => run(["verify", file, "--issuer", issuer, ...more])

async function verdict(file: string, issuer: string, ...more: string[]): Promise<[number, string]> {
  const { exit, out, err } = await verify(file, issuer, ...more, "--json")
  return [exit, exit === 2 || out === "" ? err : (JSON.parse(out) as { result: string }).result]
}

test("verify exits with 0 for an unchanged delivery, for its request and for the action it permits", async () => {
  const { out, exit } = await verify(bought.file, oldKeys)
  expect([exit, out]).toEqual([0, expect.stringContaining("permitted  RELEASE_PAYMENT, decision ALLOW: ")])
  expect(out).not.toContain("HISTORICAL")
  const requests = ["--request", bought.signed.path, "--require", "RELEASE_PAYMENT", "--environment", "test"]
  expect(await verdict(bought.file, oldKeys, ...requests)).toEqual([0, "VALID"])
})

test("verify exits with 3 for another request and a changed byte, and with 9 for another action and after the end", async () => {
  const other = await operator.sign()
  expect(await verdict(bought.file, oldKeys, "--request", other.path)).toEqual([3, "INVALID"])
  expect(await verdict(bought.file, oldKeys, "--require", "HOLD_PAYMENT")).toEqual([9, "INVALID"])
  const forged = keepDelivery(operator, "forged", readFileSync(bought.file, "utf8").replace("12500.00", "12500.01"))
  expect(await verdict(forged, oldKeys)).toEqual([3, "INVALID"])
  const later = new Date(Date.now() + 3 * HOUR).toISOString()
  expect(await verdict(bought.file, oldKeys, "--at", later)).toEqual([9, "INVALID"])
})

test("verify --at a past time prints that it is historical, and exits with 9 before the decision existed", async () => {
  const { valid_as_of: decidedAt } = JSON.parse(readFileSync(bought.file, "utf8")) as { valid_as_of: string }
  const { exit, out } = await verify(bought.file, oldKeys, "--at", decidedAt)
  expect([exit, out]).toEqual([0, expect.stringContaining("HISTORICAL")])
  const before = new Date(Date.now() - 3 * HOUR).toISOString()
  expect((await verify(bought.file, oldKeys, "--at", before)).exit).toBe(9)
})

test("verify exits with 0 for a pretty-printed copy; only `result` still requires --reformatted", async () => {
  const pretty = JSON.stringify(JSON.parse(readFileSync(bought.file, "utf8")), null, 2)
  const copy = keepDelivery(operator, "pretty", pretty)
  expect(await verdict(copy, oldKeys)).toEqual([0, "INVALID"])
  expect(await verdict(copy, oldKeys, "--reformatted")).toEqual([0, "VALID"])
})

test("verify exits with 4 when it could not check, which is neither valid nor invalid", async () => {
  const none = operator.path("none.jwks.json")
  writeFileSync(none, '{"keys":[]}')
  expect(await verdict(bought.file, none)).toEqual([4, "NOT_CHECKED"])
  expect((await verify(operator.path("nowhere.json"), oldKeys)).exit).toBe(4)
  expect((await verify(bought.file, operator.path("nowhere.json"))).exit).toBe(4)
  const text = keepDelivery(operator, "text", "no JSON")
  expect((await verify(text, oldKeys)).exit).toBe(4)
  const newer = readFileSync(bought.file, "utf8").replaceAll('"schema_version":"1.0.0"', '"schema_version":"9.0.0"')
  expect((await verdict(keepDelivery(operator, "newer", newer), oldKeys))[0]).toBe(4)
})

test("verify exits with 2 for an invalid time or action", async () => {
  expect((await verify(bought.file, oldKeys, "--at", "yesterday")).exit).toBe(2)
  expect((await verify(bought.file, oldKeys, "--require", "PAY")).exit).toBe(2)
  expect((await run(["verify", bought.file])).exit).toBe(2)
})

const ROTATED_WITHIN_MS = 2_500

test("after keys rotate the running server signs with the new key within seconds, and old signatures still verify", async () => {
  await must(run, ["keys", "rotate", "--data", operator.data])
  const until = Date.now() + ROTATED_WITHIN_MS
  let keys = oldKeys
  while (keyIdsIn(keys).length < 2 && Date.now() < until) {
    await Bun.sleep(100)
    keys = await publishedKeys("both.jwks.json")
  }
  const after = await buy("second")
  expect(after.keyId).not.toBe(bought.keyId)
  expect(new Set(keyIdsIn(keys))).toEqual(new Set([bought.keyId, after.keyId]))
  expect(await verdict(bought.file, keys)).toEqual([0, "VALID"])
  expect(await verdict(after.file, keys)).toEqual([0, "VALID"])
  // A buyer with yesterday's keys cannot check the new delivery, and the output says so.
  expect(await verdict(after.file, oldKeys)).toEqual([4, "NOT_CHECKED"])
  expect((await operator.recover(server.origin, bought.signed)).bytes).toBe(readFileSync(bought.file, "utf8"))
})

test("replay decides every bundle of a directory again, offline and without the server", async () => {
  const bundles = operator.path("bundles")
  mkdirSync(bundles)
  for (const [name, { decisionId }] of [["a", bought] as const, ["b", await buy("third")] as const]) {
    await must(run, ["export", decisionId, "--data", operator.data, "--out", join(bundles, `${name}.json`)])
  }
  const keys = await publishedKeys("both.jwks.json")
  const { exit, out } = await run(["replay", bundles, "--issuer", keys, "--json"])
  expect([exit, (JSON.parse(out) as { files: { result: string }[] }).files.map(({ result }) => result)]).toEqual([
    0,
    ["VALID", "VALID"],
  ])

  const { prefix, said } = networkIsolation()
  if (prefix.length === 0) console.log(`not isolated: ${said}`)
  const program =
    compiledBinary === null ? [process.execPath, join(import.meta.dir, "../../src/main.ts")] : [compiledBinary]
  const alone = (args: string[]) => Bun.spawnSync([...prefix, ...program, ...args], { cwd: bundles, env: {} }).exitCode
  expect(
    alone(["verify", bought.file, "--issuer", keys, "--require", "RELEASE_PAYMENT", "--environment", "test"]),
  ).toBe(0)
  expect(alone(["verify", join(bundles, "b.json"), "--issuer", keys])).toBe(0)
  expect(alone(["replay", bundles, "--issuer", keys])).toBe(0)

  const [first = ""] = [readFileSync(join(bundles, "a.json"), "utf8")]
  writeFileSync(join(bundles, "c.json"), first.replace('"legal_name":"Harbor', '"legal_name":"Farbor'))
  expect(alone(["replay", bundles, "--issuer", keys])).toBe(3)
  copyFileSync(keys, join(bundles, "c.json"))
  expect(alone(["replay", bundles, "--issuer", keys])).toBe(4)
  expect(alone(["replay", operator.path("nowhere"), "--issuer", keys])).toBe(4)
})

test("after keys revoke, signatures of the revoked key exit with 3, others still verify, and no verifier gets the revoked key", async () => {
  await must(run, ["keys", "revoke", bought.keyId, "--data", operator.data])
  const until = Date.now() + ROTATED_WITHIN_MS
  let published = await publishedKeys("after.jwks.json")
  while (keyIdsIn(published).includes(bought.keyId) && Date.now() < until) {
    await Bun.sleep(100)
    published = await publishedKeys("after.jwks.json")
  }
  expect(keyIdsIn(published)).not.toContain(bought.keyId)
  expect(await verdict(bought.file, published)).toEqual([4, "NOT_CHECKED"])
  const all = operator.path("with-revoked.jwks.json")
  writeFileSync(all, (await must(run, ["keys", "export", "--data", operator.data, "--with-revoked"])).text)
  expect(await verdict(bought.file, all)).toEqual([3, "INVALID"])
  expect((await run(["replay", join(operator.path("bundles"), "a.json"), "--issuer", all])).exit).toBe(3)
  const after = await buy("fourth")
  expect(await verdict(after.file, all)).toEqual([0, "VALID"])
  expect((await run(["keys", "revoke", bought.keyId, "--data", operator.data])).exit).toBe(3)
  expect((await run(["keys", "revoke", "unknown", "--data", operator.data])).exit).toBe(5)
})

test("keys revoke of the signing key replaces it in the same step, so that the server never stops signing", async () => {
  const before = await buy("fifth")
  await must(run, ["keys", "revoke", before.keyId, "--data", operator.data])
  const until = Date.now() + ROTATED_WITHIN_MS
  let after = await buy("sixth")
  for (let more = 0; after.keyId === before.keyId && Date.now() < until; more++) after = await buy(`more-${more}`)
  expect(after.keyId).not.toBe(before.keyId)
  expect(await verdict(after.file, await publishedKeys("last.jwks.json"))).toEqual([0, "VALID"])
  expect((await operator.verify(before.file)).exit).toBe(3)
})
