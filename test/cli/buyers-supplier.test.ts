/** An organization corrects its identity sets: signed by its mandate key on its own machine, applied by the operator. */

import { afterEach, beforeEach, expect } from "bun:test"
import { existsSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { CommandError, EXIT } from "../../src/base/exit.ts"
import { command as add } from "../../src/cli/buyers/add.ts"
import { command as keygen } from "../../src/cli/buyers/keygen.ts"
import { command as list } from "../../src/cli/buyers/list.ts"
import { command as revokeKey } from "../../src/cli/buyers/revoke-key.ts"
import { command as sign } from "../../src/cli/buyers/sign-supplier.ts"
import { command as apply } from "../../src/cli/buyers/supplier.ts"
import { type Command, readInput } from "../../src/cli/command.ts"
import { digestOf } from "../../src/core/digest.ts"
import { DAY, formatInstant } from "../../src/core/time.ts"
import type { DataDirectory } from "../../src/data/data-directory.ts"
import { joinSupplier } from "../../src/store/sales/supplier-joins.ts"
import { readAnchors, readSupplierSet } from "../../src/store/sales/supplier-sets.ts"
import { databaseOf } from "../fixtures/database-of.ts"
import { type OpenedData, openedData } from "../fixtures/opened-data.ts"
import { slowTests } from "../fixtures/slow-tests.ts"

const test = slowTests(import.meta.path)

const ORGANIZATION = "org:example:acme"
const SERVER = "http://127.0.0.1:8402"
let fresh: OpenedData["fresh"]
let data: string
let running: DataDirectory

beforeEach(async () => {
  ;({ fresh, data, running } = await openedData())
  await run(keygen, "--out", join(fresh.path, "org.key"))
  const at = Date.now()
  const verified = ["--verified-at", formatInstant(at - DAY), "--valid-until", formatInstant(at + DAY)]
  await run(
    add,
    ...["--data", data, "--organization", ORGANIZATION, "--legal-name", "Acme", "--digest", digestOf("acme")],
    ...[
      "--mandate-key",
      join(fresh.path, "org.key.pub"),
      "--verification-method",
      "call",
      "--verification-reference",
      "1",
    ],
    ...[...verified, "--verified-by", "J. Doe"],
  )
})
afterEach(async () => {
  await running.store.close()
  fresh[Symbol.dispose]()
})

let printed = ""
async function run(command: Command, ...args: string[]): Promise<{ exit: number; message: string }> {
  printed = ""
  const out = (text: string) => {
    printed += text
  }
  const terminal = { out, err: () => undefined, environment: {} }
  try {
    return { exit: await command.run(readInput(command, args, terminal)), message: "" }
  } catch (error) {
    if (!(error instanceof CommandError)) throw error
    return { exit: error.exit, message: error.message }
  }
}

let serial = 0
const signing = (file: string, action: string, named: readonly string[]) => {
  const key = ["--organization-key", join(fresh.path, "org.key"), "--organization", ORGANIZATION]
  return run(sign, file, ...key, "--server", SERVER, "--action", action, ...named)
}
async function signed(action: string, ...named: string[]): Promise<string> {
  const file = join(fresh.path, `statement-${++serial}.json`)
  const { exit, message } = await signing(file, action, named)
  expect([exit, message]).toEqual([EXIT.DONE, ""])
  return file
}
const applied = (file: string) => run(apply, file, "--data", data, "--base-url", SERVER)

/** A supplier that a decision of the organization was delivered about. Returns its id. */
async function known(keys: readonly string[], nameKey = ""): Promise<string> {
  const requestId = `drq_${++serial}`
  databaseOf(running)
    .query(
      `INSERT INTO decision_request (id, product, scope, idempotency_key, request_digest, body_digest, request_json, state, created_at, updated_at)
       VALUES (?1, 'p', 's', ?1, ?1, 'b', '{}', 'DELIVERED', 't', 't')`,
    )
    .run(requestId)
  const decided = {
    destination: "d",
    decidedAt: formatInstant(Date.now()),
    keyId: null,
    registered: [],
    isVerified: false,
  }
  const naming = { keys, nameKey, entityId: null }
  return running.store.run(() => joinSupplier({ ownerId: ORGANIZATION, requestId, naming, ...decided }))
}
const setOf = (...keys: string[]) =>
  running.store.read(() => readSupplierSet(ORGANIZATION, { keys, nameKey: "", entityId: null }))

test("LINK makes two suppliers one, with a second CAGE; UNLINK lets one leave with its records", async () => {
  const [one, two] = [await known(["uei:ZQGGHJH74DW7"]), await known(["cage:1ABC2"])]
  expect((await setOf("uei:ZQGGHJH74DW7", "cage:1ABC2")).contradictions).toHaveLength(1)
  const link = await signed(
    "LINK",
    "--id",
    "uei:zqgghjh74dw7",
    "--id",
    "cage:1ABC2",
    "--id",
    "cage:9XYZ8",
    "--name",
    "Acme Tools",
  )
  expect(await applied(link)).toEqual({ exit: EXIT.DONE, message: "" })
  const linked = await setOf("uei:ZQGGHJH74DW7", "cage:9XYZ8")
  expect([linked.contradictions, [...linked.members].sort(), linked.names]).toEqual([
    [],
    [one, two].sort(),
    ["acmetools"],
  ])
  expect(await running.store.read(() => readAnchors(ORGANIZATION, linked))).toEqual(["uei:ZQGGHJH74DW7", "cage:9XYZ8"])
  expect(await applied(link)).toMatchObject({ exit: EXIT.INVALID, message: expect.stringContaining("applied before") })

  expect((await applied(await signed("UNLINK", "--id", "cage:1ABC2"))).exit).toBe(EXIT.DONE)
  expect((await setOf("cage:1ABC2")).members).toEqual([two])
  expect((await setOf("uei:ZQGGHJH74DW7")).members).toEqual([one])
  expect((await applied(await signed("UNLINK", "--id", "cage:9XYZ8", "--name", "Acme Tools"))).exit).toBe(EXIT.DONE)
  expect((await setOf("cage:9XYZ8")).root).toBeNull()
  expect((await setOf("uei:ZQGGHJH74DW7")).names).toEqual([])
})

test("the root of a merged supplier may leave, and the others stay together", async () => {
  const [one, two, three] = [
    await known(["uei:ZQGGHJH74DW7"]),
    await known(["cage:1ABC2"]),
    await known(["cik:0000000123"]),
  ]
  await applied(await signed("LINK", "--id", "uei:ZQGGHJH74DW7", "--id", "cage:1ABC2", "--id", "cik:123"))
  expect((await setOf("cik:0000000123")).members).toHaveLength(3)
  await applied(await signed("UNLINK", "--id", "uei:ZQGGHJH74DW7"))
  expect((await setOf("uei:ZQGGHJH74DW7")).members).toEqual([one])
  expect([...(await setOf("cage:1ABC2")).members].sort()).toEqual([two, three].sort())
})

test("a merge of more than sixteen suppliers is refused whole", async () => {
  const keys = Array.from({ length: 17 }, (_, n) => `cik:${String(n + 1).padStart(10, "0")}`)
  for (const key of keys) await known([key])
  const refused = await applied(await signed("LINK", ...keys.flatMap((key) => ["--id", key])))
  expect(refused).toMatchObject({ exit: EXIT.INVALID, message: expect.stringContaining("UNLINK") })
  expect((await setOf(keys[0] ?? "")).members).toHaveLength(1)
})

test("a statement that is edited, of another key, for another service, ended or of a revoked key changes nothing", async () => {
  const supplier = await known(["uei:ZQGGHJH74DW7"])
  const file = await signed("UNLINK", "--id", "uei:ZQGGHJH74DW7")
  const statement = JSON.parse(readFileSync(file, "utf8"))
  const edited = (changes: object) => {
    const path = join(fresh.path, `edited-${++serial}.json`)
    writeFileSync(path, JSON.stringify({ ...statement, ...changes }))
    return path
  }
  const past = { issued_at: "2026-01-01T00:00:00Z", valid_until: "2026-01-02T00:00:00Z" }
  for (const changes of [
    { keys: ["uei:ZQGGHJH74DW8"] },
    { audience: "https://other.example" },
    past,
    { more: 1 },
    { organization_id: "org:other" },
  ]) {
    expect((await applied(edited(changes))).exit).toBe(EXIT.INVALID)
  }
  const keyId = JSON.parse(readFileSync(join(fresh.path, "org.key.pub"), "utf8")).kid
  await run(revokeKey, ORGANIZATION, keyId, "--data", data, "--since", formatInstant(Date.now()), "--reason", "lost")
  expect(await applied(file)).toMatchObject({ exit: EXIT.INVALID, message: expect.stringContaining("revoked") })
  expect((await setOf("uei:ZQGGHJH74DW7")).members).toEqual([supplier])
})

test("a disputed supplier is listed with the remedy until a signed statement names it", async () => {
  const [one, two] = [await known(["uei:ZQGGHJH74DW7", "cage:1ABC2"]), await known(["cik:0000000123"])]
  const listed = async () => {
    await run(list, "--data", data)
    return printed.split("\n").filter((line) => line.includes("disputed"))
  }
  expect(await listed()).toEqual([])
  databaseOf(running).run("UPDATE supplier SET disputed = 1")
  expect(await listed()).toEqual([
    "  disputed supplier: cage:1ABC2, uei:ZQGGHJH74DW7",
    "  disputed supplier: cik:0000000123",
  ])
  await run(list, "--data", data)
  expect(printed).toContain("bizauth buyers sign-supplier FILE")
  await run(list, "--data", data, "--json")
  expect(JSON.parse(printed).organizations[0].disputed_suppliers).toEqual([
    { supplier_id: one, identifiers: ["cage:1ABC2", "uei:ZQGGHJH74DW7"] },
    { supplier_id: two, identifiers: ["cik:0000000123"] },
  ])
  await applied(await signed("UNLINK", "--id", "cage:1ABC2"))
  expect(await listed()).toEqual(["  disputed supplier: cik:0000000123"])
  await applied(await signed("LINK", "--id", "uei:ZQGGHJH74DW7", "--id", "cik:123"))
  expect(await listed()).toEqual([])
})

test.each([
  ["LINK", ["--name", "Acme Parts LLC"]],
  ["UNLINK", []],
  ["MERGE", ["--id", "cik:123"]],
])("%s of %p is neither signed nor applied", async (action, named) => {
  const file = join(fresh.path, "refused.json")
  expect((await signing(file, action, named)).exit).toBe(EXIT.USAGE)
  expect(existsSync(file)).toBe(false)
  const names = named.filter((_, at) => named[at - 1] === "--name")
  const statement = JSON.parse(readFileSync(await signed("UNLINK", "--id", "cik:123"), "utf8"))
  writeFileSync(file, JSON.stringify({ ...statement, action, names, ...(action === "MERGE" ? {} : { keys: [] }) }))
  expect(await applied(file)).toMatchObject({ exit: EXIT.INVALID, message: expect.stringContaining("is no svc.") })
})
