import { describe, expect } from "bun:test"
import { chmodSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { realMachine } from "../../../src/base/machine.ts"
import { command as company } from "../../../src/cli/company/company.ts"
import { command as importSource } from "../../../src/cli/sources/import.ts"
import { command as status } from "../../../src/cli/sources/status.ts"
import { createDataDirectory } from "../../../src/data/data-directory.ts"
import { bulkFiles, companyNumber } from "../../fixtures/companies-house-file.ts"
import { freshDirectory } from "../../fixtures/directories.ts"
import { slowTests } from "../../fixtures/slow-tests.ts"
import { runCommand } from "../../fixtures/terminal.ts"
import { companiesHouse, NUMBER, type Reply } from "../../sources/publishers/uk-companies-house/rest-test-client.ts"

const test = slowTests(import.meta.path)

async function operator(reply?: Reply) {
  const directory = freshDirectory()
  const data = join(directory.path, "data")
  await createDataDirectory(data, "test", realMachine)
  const keyFile = join(directory.path, "companies-house.key")
  writeFileSync(keyFile, "an-api-key-of-ours\n", { mode: 0o600 })
  const server = companiesHouse(reply)
  const settings = ["--uk-companies-house-key-file", keyFile, "--uk-companies-house-url", server.url]
  return {
    server,
    keyFile,
    async importFile() {
      const [file] = bulkFiles("zip", 3)
      const path = join(directory.path, file?.name ?? "")
      writeFileSync(path, file?.bytes ?? "")
      expect((await runCommand(importSource, ["UK_COMPANIES_HOUSE", path, "--data", data])).exit).toBe(0)
    },
    call: (...args: string[]) => runCommand(company, [...args, "--data", data, ...settings]),
    status: (...args: string[]) => runCommand(status, [...args, "--data", data, ...settings]),
    bareStatus: (...args: string[]) => runCommand(status, [...args, "--data", data]),
    bare: (...args: string[]) => runCommand(company, [...args, "--data", data]),
    async [Symbol.asyncDispose]() {
      await server.stop()
      directory[Symbol.dispose]()
    },
  }
}

describe("company --live", () => {
  test("asks the service with the key from the file, and the second call uses the cached response", async () => {
    await using testOperator = await operator()
    const first = await testOperator.call("6400", "--live")
    expect([first.err, first.exit]).toEqual(["", 0])
    expect(first.out).toStartWith(`${NUMBER}  EXAMPLE TRADING LIMITED\n`)
    expect(first.out).toContain("UK_COMPANIES_HOUSE LIVE HEALTHY FRESH")
    expect(testOperator.server.seen.authorization).toBe(`Basic ${btoa("an-api-key-of-ours:")}`)
    const again = await testOperator.call(NUMBER, "--live", "--json")
    expect(JSON.parse(again.out)).toMatchObject({
      version: 1,
      via: "LIVE",
      health: "HEALTHY",
      evidence: { source_version: "etag:5a3c51b439584d98d420143d6a22996571646302" },
      record: { company_number: NUMBER, company_status: "active" },
    })
    expect(testOperator.server.seen.requests).toBe(1)
  })

  test("exits with 5 for a company that does not exist", async () => {
    await using testOperator = await operator(() => new Response(null, { status: 404 }))
    const { exit, err } = await testOperator.call(NUMBER, "--live")
    expect([exit, err]).toEqual([5, expect.stringContaining(`no company ${NUMBER}: LIVE`)])
  })

  test("exits with 4 for a rejected key and says what to do", async () => {
    await using testOperator = await operator(() => new Response("", { status: 401 }))
    const { exit, err } = await testOperator.call(NUMBER, "--live")
    expect([exit, err]).toEqual([4, expect.stringContaining("refuses the key")])
    expect(err).not.toContain("an-api-key-of-ours")
  })

  test("falls back to the imported file when the service does not answer, and names the file as its source", async () => {
    await using testOperator = await operator(() => new Response("", { status: 500 }))
    await testOperator.importFile()
    const ran = await testOperator.call(companyNumber(1), "--live", "--json")
    expect([ran.exit, JSON.parse(ran.out)]).toMatchObject([
      0,
      {
        via: "BULK",
        health: "HEALTHY",
        reason_codes: expect.arrayContaining(["LIVE_REGISTER_UNAVAILABLE", "SERVICE_ERROR"]),
      },
    ])
    // Never "it does not exist": the file is old and contains no dissolved companies.
    expect((await testOperator.call("99999999", "--live")).exit).toBe(4)
  })

  test("leaves its request budget and pause for sources status to show", async () => {
    await using testOperator = await operator()
    await testOperator.call(NUMBER, "--live")
    expect((await testOperator.status()).out).toEndWith(
      "UK_COMPANIES_HOUSE live: ready for requests; 1 of 550 requests in the last five minutes\n",
    )
    testOperator.server.answer(() => new Response("", { status: 429 }))
    await testOperator.call("00006401", "--live")
    const { live_register } = JSON.parse((await testOperator.status("--json")).out)
    expect(live_register).toMatchObject({ requests: 2, requests_max: 550, paused: { reason: "RATE_LIMITED" } })
    expect((await testOperator.status()).out).toMatch(/live: no request before 20\S+Z \(RATE_LIMITED\); 2 of 550/)
    expect(JSON.parse((await testOperator.bareStatus("--json")).out).live_register).toBeNull()
  })

  test("exits with 6 without a key or with a key file that others can read, and sends nothing", async () => {
    await using testOperator = await operator()
    const bare = await testOperator.bare(NUMBER, "--live")
    expect([bare.exit, bare.err]).toEqual([6, expect.stringContaining("uk_companies_house_key_file")])
    chmodSync(testOperator.keyFile, 0o644)
    const open = await testOperator.call(NUMBER, "--live")
    expect([open.exit, open.err]).toEqual([6, expect.stringContaining("chmod 600")])
    writeFileSync(testOperator.keyFile, "two words", { mode: 0o600 })
    chmodSync(testOperator.keyFile, 0o600)
    expect((await testOperator.call(NUMBER, "--live")).exit).toBe(6)
    expect(testOperator.server.seen.requests).toBe(0)
  })

  test("never sends a key unencrypted: http is allowed for loopback only", async () => {
    await using testOperator = await operator()
    const ran = await runCommand(company, [
      NUMBER,
      "--live",
      "--data",
      "x",
      "--uk-companies-house-url",
      "http://ch.example",
    ])
    expect([ran.exit, ran.err]).toEqual([6, expect.stringContaining("must be https")])
    expect(testOperator.server.seen.requests).toBe(0)
  })
})
