/** The commands about reviewers and cases, on a data directory in which reviewers work. */
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test"
import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { PRODUCT_IDS } from "../../../schemas/products.ts"
import { EXIT } from "../../../src/base/exit.ts"
import { realMachine } from "../../../src/base/machine.ts"
import type { Command } from "../../../src/cli/command.ts"
import { command as verifyDocument } from "../../../src/cli/documents/verify.ts"
import { command as exportKeys } from "../../../src/cli/keys/export.ts"
import { command as add } from "../../../src/cli/review/add.ts"
import { command as exportRecords } from "../../../src/cli/review/export.ts"
import { command as list } from "../../../src/cli/review/list.ts"
import { command as redact } from "../../../src/cli/review/redact.ts"
import { command as revoke } from "../../../src/cli/review/revoke.ts"
import { command as show } from "../../../src/cli/review/show.ts"
import { command as verify } from "../../../src/cli/review/verify.ts"
import { HOUR } from "../../../src/core/time.ts"
import { openDataDirectory } from "../../../src/data/data-directory.ts"
import { fixedLogOrigin } from "../../../src/store/log/log-origin.ts"
import { reviewerNamed } from "../../../src/store/review/review-register.ts"
import { freshDirectory } from "../../fixtures/directories.ts"
import { newDataDirectory } from "../../fixtures/new-data-directory.ts"
import { newPerson, type Person, reviewedCase } from "../../fixtures/review-log.ts"
import {
  act,
  answer,
  digestIn,
  enrol,
  policy,
  propose,
  type ReviewService,
  reviewService,
  withCases,
} from "../../fixtures/review-service.ts"
import { runCommand } from "../../fixtures/terminal.ts"

setDefaultTimeout(60_000)

const folder = freshDirectory()
const at = (name: string) => join(folder.path, name)
let data: string
let close: () => Promise<void>
let service: ReviewService
let ann: Person
let ben: Person
let proposal: string

const run = (command: Command, ...given: string[]) => runCommand(command, [...given, "--data", data])

/** Enters the person by the command, as the operator does, and enrols the passkey. */
async function entered(name: string, ...flags: string[]): Promise<Person> {
  const ran = await run(add, name, ...flags)
  if (ran.exit !== 0) throw new Error(ran.err)
  const row = await service.deps.store.read(() => reviewerNamed(name))
  const given = {
    reviewer: row?.reviewerId ?? "",
    recusals: [...(row?.recusals ?? [])],
    breakGlass: row?.breakGlass ?? null,
  }
  const person = newPerson(name, given)
  const taken = await enrol(service, person)
  if (taken.fault !== null) throw new Error(taken.fault)
  return person
}

beforeAll(async () => {
  const made = await newDataDirectory(folder.path)
  data = made.path
  const opened = await openDataDirectory(data, {
    ...{ machine: realMachine, databaseFile: made.databaseFile, migrate: false },
    onFatal: () => {},
  })
  close = async () => {
    await opened.store.close()
    await made.close()
  }
  await opened.store.run(() => fixedLogOrigin("localhost"))
  service = reviewService(opened.store)
  service.at = Date.now() - HOUR
  // Records name the service that keeps them.
  Object.assign(service.deps, { audience: "http://127.0.0.1:8402" })
  await withCases(service.deps, 5)
  ann = await entered("Ann")
  ben = await entered("Ben", "--recuse", "org:acme", "--recuse", `payer:0x${"AB".repeat(20)}`)
  await policy(service, ann, 2, 2)
  await act(service, ann, { kind: "NOTE", case: reviewedCase(1), text: "called the registrar" })
  proposal = digestIn(await propose(service, ann, 1))
  await answer(service, "APPROVE", ben, proposal)
  await propose(service, ben, 2)
})
afterAll(async () => {
  await close()
  folder[Symbol.dispose]()
})

test("list: what waits, by age, amount and score, in pages", async () => {
  const ran = await run(list)
  expect([ran.exit, ran.err]).toEqual([0, ""])
  expect(ran.out.split("\n")[0]).toMatch(/^CASE +SINCE +STATE +DECISION +PRODUCT +AMOUNT +SCORE +SUPPLIER$/)
  const numbers = (out: string) => [...out.matchAll(/^(\d+) /gm)].map(([, number]) => Number(number))
  // Case 1 is decided.
  expect(numbers(ran.out)).toEqual([5, 4, 3, 2])
  expect(numbers((await run(list, "--by", "amount", "--limit", "2")).out)).toEqual([5, 4])
  const first = await run(list, "--by", "score", "--limit", "3")
  const cursor = /--after (\S+)/.exec(first.err)?.[1] ?? ""
  expect(numbers((await run(list, "--by", "score", "--after", cursor)).out)).toEqual([2])
  expect(numbers((await run(list, "--state", "DECIDED")).out)).toEqual([1])
  expect((await run(list, "--state", "CLOSED")).out).toBe("none\n")
  const { product } = reviewedCase(1)
  const other = PRODUCT_IDS.find((id) => id !== product) ?? ""
  expect(numbers((await run(list, "--product", product)).out)).toEqual([5, 4, 3, 2])
  expect((await run(list, "--product", other)).out).toBe("none\n")
  const json = JSON.parse((await run(list, "--json", "--limit", "1")).out)
  expect(json).toMatchObject({ version: 1, cases: [{ case: 5, state: "OPEN", amount: "5.50", currency: "USD" }] })
  expect(json.next).toStartWith("age/")
  for (const wrong of [
    ["--by", "x"],
    ["--state", "x"],
    ["--product", "x"],
    ["--limit", "0"],
    ["--limit", "1001"],
    ["--after", "x"],
    ["--by", "score", "--after", "score/0.5/1"],
    ["--by", "amount", "--after", "amount/1.5/1"],
    ["--after", "age/1/1"],
  ]) {
    expect([wrong, (await run(list, ...wrong)).exit]).toEqual([wrong, EXIT.USAGE])
  }
  expect((await run(list, "--by", "age", "--after", cursor)).exit).toBe(EXIT.USAGE)
})

test("show: a case and what was recorded about it", async () => {
  const { out } = await run(show, "1")
  expect(out).toContain("case 1  DECIDED")
  expect(out).toMatch(/NOTE {2}RECORDED {2}Ann {2}called the registrar/)
  expect(out).toMatch(/OTHER_PARTY {2}OPENED {2}Ann {2}US_OFAC_SDN:90001 until \S+ {2}another owner/)
  expect(out).toMatch(/APPROVE {2}EFFECTIVE {2}Ben/)
  expect((await run(show, "99")).exit).toBe(EXIT.NOT_FOUND)
  expect((await run(show, "exe_AAAA")).exit).toBe(EXIT.USAGE)
})

test("add: a person once, more recusals only before a key, and no recusal in another form", async () => {
  const first = await run(add, "Cem", "--recuse", "org:acme,org:other")
  expect(first.out).toMatch(/^added {4}rev_\S+ {2}Cem\nrecused {2}org:acme, org:other\n$/)
  expect((await run(add, "Cem", "--recuse", "org:third")).out).toContain("org:acme, org:other, org:third")
  const refused = await run(add, "Ann", "--recuse", "org:acme")
  expect([refused.exit, refused.err]).toEqual([EXIT.INVALID, expect.stringContaining("revoke them first")])
  for (const wrong of ["acme", "org:", "payer:0x12", "org:a b"]) {
    expect([wrong, (await run(add, "Dee", "--recuse", wrong)).exit]).toEqual([wrong, EXIT.USAGE])
  }
  expect((await run(add, "a\u202eb")).exit).toBe(EXIT.USAGE)
  const many = Array.from({ length: 51 }, (_, n) => `org:o${n}`).join(",")
  expect((await run(add, "Dee", "--recuse", many)).exit).toBe(EXIT.USAGE)
})

test("export and verify: with keys and log key given apart, in this command and in verify", async () => {
  const file = at("reviews.json")
  expect((await run(exportRecords, "--out", file)).out).toBe(`exported  ${file}\n`)
  writeFileSync(at("jwks.json"), (await run(exportKeys)).out)
  const logKey = (await run(exportKeys, "--use", "log")).out.trim()
  const check = (path: string, ...flags: string[]) => runCommand(verify, [path, "--issuer", at("jwks.json"), ...flags])
  const good = await check(file, "--log-key", logKey, "--record", proposal)
  expect([good.exit, good.out]).toEqual([0, expect.stringContaining("GENUINE")])
  for (const line of [
    "ok    records",
    "ok    passkeys",
    "ok    policy",
    "ok    cases",
    "ok    judgements",
    "ok    log ",
  ]) {
    expect(good.out).toContain(line)
  }
  expect((await runCommand(verifyDocument, [file, "--issuer", at("jwks.json")])).exit).toBe(0)
  expect((await check(file, "--record", `sha256:${"0".repeat(64)}`)).exit).toBe(EXIT.INVALID)
  expect((await check(file, "--log-key", "x")).exit).toBe(EXIT.USAGE)
  expect((await check(file, "--record", "x")).exit).toBe(EXIT.USAGE)
  const signed = JSON.parse(readFileSync(file, "utf8"))
  signed.payload.entries.splice(2, 1)
  writeFileSync(at("cut.json"), JSON.stringify(signed))
  expect((await check(at("cut.json"))).exit).toBe(EXIT.INVALID)

  const part = at("part.json")
  expect((await run(exportRecords, "--case", "1", "--out", part)).exit).toBe(0)
  const some = await check(part, "--log-key", logKey)
  expect([some.exit, some.out]).toEqual([0, expect.stringContaining("those about 1 cases, and those about reviewers")])
  expect((await run(exportRecords, "--case", "99")).exit).toBe(EXIT.NOT_FOUND)
  expect((await run(exportRecords, "--out", file)).exit).toBe(EXIT.USAGE)
})

test("redact: the text of a note goes from show and export, and the export still verifies", async () => {
  const note = /^(\d+) {2}\S+ {2}NOTE/m.exec((await run(show, "1")).out)?.[1] ?? ""
  expect((await run(redact, "1")).exit).toBe(EXIT.INVALID)
  expect((await run(redact, "999")).exit).toBe(EXIT.NOT_FOUND)
  expect((await run(redact, note)).out).toBe(`removed  the text of record ${note}\n`)
  expect((await run(redact, note)).exit).toBe(EXIT.INVALID)
  expect((await run(show, "1")).out).toContain("(removed)")
  const file = at("redacted.json")
  await run(exportRecords, "--out", file)
  expect(readFileSync(file, "utf8")).not.toContain("called the registrar")
  expect((await runCommand(verify, [file, "--issuer", at("jwks.json")])).exit).toBe(0)
})

test("revoke: every key of a person at once, in the chain and in the export", async () => {
  const ran = await run(revoke, "Ben", "--reason", "left the company")
  expect(ran.out).toBe(`REVOKED  ${ben.enrolment.key_id}\n`)
  expect((await run(revoke, "Ben", "--reason", "x")).exit).toBe(EXIT.NOT_FOUND)
  expect((await run(revoke, "Nobody", "--reason", "x")).exit).toBe(EXIT.NOT_FOUND)
  service.at = Date.now()
  expect(await answer(service, "APPROVE", ben, proposal)).toEqual({ fault: "KEY_NOT_ACTIVE" })
  const file = at("revoked.json")
  await run(exportRecords, "--out", file)
  expect((await runCommand(verify, [file, "--issuer", at("jwks.json")])).exit).toBe(0)
})

test("break glass: a person enters without approvals, and every export says so", async () => {
  await entered("Dee", "--break-glass", "Ben left and Ann needs a second person")
  const file = at("glass.json")
  await run(exportRecords, "--out", file)
  const { exit, out } = await runCommand(verify, [file, "--issuer", at("jwks.json")])
  expect([exit, out]).toEqual([0, expect.stringContaining("Dee was enrolled without approvals: Ben left")])
})
