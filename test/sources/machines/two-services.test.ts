/** Two services with data directories of their own, one database and copied keys; and commands on a third directory, which never served. */
import { describe, expect, setDefaultTimeout } from "bun:test"
import { cpSync, existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { EXIT } from "../../../src/base/exit.ts"
import { realMachine } from "../../../src/base/machine.ts"
import { command as check } from "../../../src/cli/check.ts"
import type { Command } from "../../../src/cli/command.ts"
import { command as exportSource } from "../../../src/cli/sources/export.ts"
import { command as importSource } from "../../../src/cli/sources/import.ts"
import { command as rollback } from "../../../src/cli/sources/rollback.ts"
import { command as status } from "../../../src/cli/sources/status.ts"
import { command as verify } from "../../../src/cli/sources/verify.ts"
import { SECOND } from "../../../src/core/time.ts"
import { createDataDirectory } from "../../../src/data/data-directory.ts"
import type { OpenedService } from "../../../src/server/open-service.ts"
import { instanceSnapshots } from "../../../src/store/sources/instance-snapshots.ts"
import { bulkFiles } from "../../fixtures/companies-house-file.ts"
import { freshDirectory } from "../../fixtures/directories.ts"
import { HAS_POSTGRES, NOT_RUN } from "../../fixtures/postgres.ts"
import { newEmptyPostgresDatabase } from "../../fixtures/postgres-schema.ts"
import { writeSampleLists } from "../../fixtures/sample-lists.ts"
import { testServiceOn } from "../../fixtures/service.ts"
import { slowTests } from "../../fixtures/slow-tests.ts"
import { runCommand } from "../../fixtures/terminal.ts"
import { until } from "../../fixtures/until.ts"

const test = slowTests(import.meta.path)
setDefaultTimeout(120_000)

const SDN = "US_OFAC_SDN"
const REGISTER = "UK_COMPANIES_HOUSE"

/** A database, and three data directories with the same keys. */
async function directories() {
  const fresh = freshDirectory()
  const { url, drop } = await newEmptyPostgresDatabase()
  const databaseFile = join(fresh.path, "database.url")
  writeFileSync(databaseFile, url, { mode: 0o600 })
  const [one, other, third] = ["one", "other", "third"].map((name) => join(fresh.path, name)) as [
    string,
    string,
    string,
  ]
  await createDataDirectory(one, "test", realMachine, { databaseFile })
  for (const copy of [other, third]) cpSync(one, copy, { recursive: true })
  mkdirSync(join(fresh.path, "lists"))
  return {
    ...{ one, other, third, databaseFile },
    lists: () => writeSampleLists(join(fresh.path, "lists"), { publishedAt: Date.now() - 1_000 }),
    out: join(fresh.path, "exported"),
    [Symbol.asyncDispose]: async () => {
      await drop()
      fresh[Symbol.dispose]()
    },
  }
}

const run = (command: Command, data: string, ...rest: string[]) => runCommand(command, [...rest, "--data", data])

describe.skipIf(!HAS_POSTGRES)(`two services on one database${NOT_RUN}`, () => {
  test("an import beside one is answered from by the other within ten seconds; so is a rollback", async () => {
    await using dirs = await directories()
    const services: OpenedService[] = []
    for (const data of [dirs.one, dirs.other]) {
      const { service } = await testServiceOn(data, realMachine, { database_file: dirs.databaseFile })
      for (const worker of service.workers) worker.start()
      services.push(service)
    }
    const idsOf = () => services.map(({ sources }) => sources.index().snapshotIds[SDN] ?? null)
    const useOf = async (id: string) => {
      const began = performance.now()
      await until("both answer from it", () => idsOf().every((one) => one === id))
      return performance.now() - began
    }
    try {
      const lists = dirs.lists()
      const ids: string[] = []
      for (let nth = 0; nth < 2; nth++) {
        const ran = await run(importSource, dirs.one, SDN, lists[SDN], "--json")
        expect(ran.exit).toBe(EXIT.DONE)
        ids.push((JSON.parse(ran.out) as { snapshot_id: string }).snapshot_id)
        expect(await useOf(ids[nth] ?? "")).toBeLessThan(10 * SECOND)
      }
      const [state] = services.map(({ sources }) =>
        sources.states(realMachine.now()).find(({ sourceId }) => sourceId === SDN),
      )
      expect(state?.health).toBe("HEALTHY")
      await until("both say so in the database", async () => {
        const rows = await services[0]?.store.read(instanceSnapshots)
        return rows?.filter(({ snapshotId }) => snapshotId === ids[1]).length === 2
      })
      expect((await run(rollback, dirs.other, SDN)).exit).toBe(EXIT.DONE)
      expect(await useOf(ids[0] ?? "")).toBeLessThan(10 * SECOND)
    } finally {
      for (const service of services) await service.close()
    }
  })

  test("commands on a machine that has not taken the list yet claim no damage", async () => {
    await using dirs = await directories()
    const ran = await run(importSource, dirs.one, SDN, dirs.lists()[SDN], "--json")
    const { snapshot_id: id } = JSON.parse(ran.out) as { snapshot_id: string }
    const here = join(dirs.third, "snapshots", SDN, id)
    const without = () => rmSync(here, { recursive: true, force: true })
    // It only reads.
    const checked = await run(check, dirs.third, "--offline", "--json")
    const { lines } = JSON.parse(checked.out) as {
      lines: { name: string; state: string; what: string; mend: string }[]
    }
    expect(lines.find(({ name }) => name === SDN)).toMatchObject({
      state: "NOTE",
      what: "not on this machine yet",
      mend: "bizauth serve takes it from the database",
    })
    expect(existsSync(here)).toBe(false)
    expect((await run(status, dirs.third)).out).toMatch(/US_OFAC_SDN +HEALTHY/)
    expect(readdirSync(here)).toContain("parties.json")
    without()
    const verified = await run(verify, dirs.third, SDN)
    expect(verified.exit).toBe(EXIT.DONE)
    expect(verified.out).toStartWith(`ok    ${id}`)
    without()
    expect((await run(exportSource, dirs.third, SDN, "--out", dirs.out)).exit).toBe(EXIT.DONE)
    expect(existsSync(here)).toBe(true)
  })

  test("commands on a machine without the register of another one say what to do, and claim no damage", async () => {
    await using dirs = await directories()
    const folder = join(dirs.out, "..", "register")
    mkdirSync(folder)
    for (const { name, bytes } of bulkFiles("zip", 200, { day: `${new Date().toISOString().slice(0, 7)}-01` }))
      writeFileSync(join(folder, name), bytes)
    const ran = await run(importSource, dirs.one, REGISTER, folder, "--json")
    const { snapshot_id: id } = JSON.parse(ran.out) as { snapshot_id: string }
    const wayOut = `another machine imported it: run bizauth sources import ${REGISTER} PATH here with the same files`
    const checked = await run(check, dirs.third, "--offline", "--json")
    const { lines } = JSON.parse(checked.out) as { lines: { name: string; state: string; mend: string }[] }
    expect(lines.find(({ name }) => name === REGISTER)).toMatchObject({ state: "NOTE" })
    expect(lines.find(({ name }) => name === REGISTER)?.mend).toStartWith(wayOut)
    const { out } = await run(status, dirs.third)
    expect(out).toMatch(/UK_COMPANIES_HOUSE +UNAVAILABLE/)
    expect(out).toContain(`not on this machine: ${wayOut}`)
    const verified = await run(verify, dirs.third, REGISTER)
    expect(verified.exit).toBe(EXIT.NOT_CHECKED)
    expect(verified.out).toStartWith(`none  ${id}`)
    const exported = await run(exportSource, dirs.third, REGISTER, "--out", dirs.out)
    expect([exported.exit, exported.err]).toEqual([
      EXIT.NOT_CHECKED,
      `this machine has no ${id}: export it on the one that imported it`,
    ])
    expect((await run(importSource, dirs.third, REGISTER, folder)).exit).toBe(EXIT.DONE)
    expect((await run(verify, dirs.third, REGISTER)).exit).toBe(EXIT.DONE)
    expect((await run(verify, dirs.one, REGISTER)).exit).toBe(EXIT.DONE)
  })
})
