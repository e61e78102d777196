/** An earlier state that PostgreSQL's own tools brought back is served only after the operator recorded it, and then as after a restore of a file. */
import { afterAll, beforeAll, describe, expect, setDefaultTimeout } from "bun:test"
import { cpSync, existsSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { SQL } from "bun"
import { encodeFunctionData, parseAbi } from "viem"
import { EXIT } from "../../../src/base/exit.ts"
import { createLog } from "../../../src/base/log.ts"
import { realMachine } from "../../../src/base/machine.ts"
import { command as restoredCommand } from "../../../src/cli/database/restored.ts"
import { command as restoreCommand } from "../../../src/cli/restore.ts"
import { formatInstant, HOUR, MINUTE, SECOND } from "../../../src/core/time.ts"
import { recordServerRestore, SERVER_RESTORE_STEPS } from "../../../src/data/backup/restored-on-server.ts"
import { createDataDirectory } from "../../../src/data/data-directory.ts"
import { dataPaths } from "../../../src/data/data-paths.ts"
import { readSizeRecord, requireNewestLog, SizeRecorder, writeSizeRecord } from "../../../src/data/log-size-record.ts"
import { scanAfterRestore } from "../../../src/delivery/restore-scan.ts"
import { companyCheckRules } from "../../../src/products/us/company-check/rules.ts"
import type { Store } from "../../../src/store/engine/unit.ts"
import { earlierOrigins, logOrigin } from "../../../src/store/log/log-origin.ts"
import { sequencePending } from "../../../src/store/log/sequenced-log.ts"
import { putMeta } from "../../../src/store/meta.ts"
import { lostTransfers, restoreScan } from "../../../src/store/payments/lost-transfers.ts"
import { restores } from "../../../src/store/restores.ts"
import { clockMachine } from "../../delivery/selling-bench.ts"
import { buyAnswer, type Purchase, usBody } from "../../fixtures/answers.ts"
import { type Chain, DEV_ACCOUNTS, startChain, USDC_ADDRESS } from "../../fixtures/chain.ts"
import { freshDirectory } from "../../fixtures/directories.ts"
import { type HeldToken, heldToken } from "../../fixtures/held-tokens.ts"
import { POSTGRES_15, type PostgresServer, startPostgres } from "../../fixtures/postgres.ts"
import { slowTests } from "../../fixtures/slow-tests.ts"
import { runCommand } from "../../fixtures/terminal.ts"
import { databaseAt } from "../../fixtures/test-database.ts"
import { openTestServer, type TestServer } from "../../fixtures/test-server.ts"
import { until } from "../../fixtures/until.ts"
import { serverOver } from "../../products/authorization-tokens/test-server.ts"
import { openedAsConfigured } from "../database-move/move-bench.ts"

const test = slowTests(import.meta.path)

setDefaultTimeout(120_000)

const hasTools = existsSync(join(POSTGRES_15, "pg_dump"))
const root = freshDirectory()
const at = (name: string) => join(root.path, name)
const silent = createLog("error", () => {}, realMachine.now)

let postgres: PostgresServer
let admin: SQL
let chain: Chain
const machine = clockMachine()
let paths: ReturnType<typeof dataPaths>
let url: string
let backupAt: string
let held: HeldToken
/** Of a purchase before the backup, and its answer. */
let before: { readonly purchase: Purchase; readonly payment: Record<string, string>; readonly text: string }
let earlier: string

function tool(name: string, ...args: string[]): void {
  const ran = Bun.spawnSync([join(POSTGRES_15, name), ...args], { stderr: "pipe" })
  if (ran.exitCode !== 0) throw new Error(`${name}: ${ran.stderr.toString()}`)
}

async function emptied(): Promise<void> {
  await admin.unsafe("DROP DATABASE IF EXISTS shop WITH (FORCE)")
  await admin.unsafe("CREATE DATABASE shop TEMPLATE template0")
}

/** Puts the dump back, as an operator does it. */
async function broughtBack(): Promise<void> {
  await emptied()
  tool("pg_restore", "--no-owner", "-d", url, at("shop.dump"))
}

async function selling<T>(use: (server: TestServer) => Promise<T>): Promise<T> {
  const database = databaseAt(url)
  const server = await openTestServer(database, chain, { machine })
  try {
    return await use(server)
  } finally {
    await server.close()
    await database.close()
  }
}

const purchase = (): Purchase => ({ path: companyCheckRules.path, body: JSON.stringify(usBody()) })

async function recordSize(store: Store): Promise<void> {
  while ((await sequencePending(store)) > 0);
  await new SizeRecorder({ paths, store, engine: { witness: null } }, machine).round()
}

const restored = (time: string, directory = paths.directory) =>
  runCommand(restoredCommand, ["--backup-at", time, "--data", directory, "--json"])
const requireNewest = (directory = paths) => openedAsConfigured(directory, (data) => requireNewestLog(data))

describe.skipIf(!hasTools)(
  `a database that pg_restore brought back${hasTools ? "" : ` (NOT RUN: no ${POSTGRES_15})`}`,
  () => {
    beforeAll(async () => {
      postgres = await startPostgres([], POSTGRES_15)
      admin = new SQL(postgres.url, { max: 1 })
      chain = await startChain({ genesisSecondsAgo: 7200 })
      await chain.mint(DEV_ACCOUNTS.payer.address, 1_000_000_000n)
      await emptied()
      url = postgres.url.replace(/\/postgres$/, "/shop")
      writeFileSync(at("url"), url, { mode: 0o600 })
      await createDataDirectory(at("data"), "test", realMachine, { databaseFile: at("url"), logHost: "svc.example" })
      paths = dataPaths(at("data"))
      await selling(async (server) => {
        const first = purchase()
        const bought = await buyAnswer(server, first)
        expect(bought.status).toBe(200)
        before = { purchase: first, payment: bought.payment, text: bought.text }
        held = await heldToken(server.store, "before", { issuedAt: machine.now() })
        await recordSize(server.store)
      })
      backupAt = formatInstant(machine.now())
      tool("pg_dump", "-Fc", "-f", at("shop.dump"), url)
      await selling(async (server) => {
        const bought = await buyAnswer(server, purchase())
        expect(bought.status).toBe(200)
        const call = { abi: parseAbi(["function transfer(address to, uint256 value)"]) }
        const args = [DEV_ACCOUNTS.payTo.address, 5_000n] as const
        await chain.send(DEV_ACCOUNTS.payer, { to: USDC_ADDRESS, data: encodeFunctionData({ ...call, args }) })
        await recordSize(server.store)
      })
      earlier = await openedAsConfigured(paths, async ({ store }) => (await store.read(logOrigin)) ?? "")
      // Of another instance.
      cpSync(paths.directory, at("second"), { recursive: true })
      await broughtBack()
    })
    afterAll(async () => {
      await admin.close({ timeout: 0 })
      await chain.stop()
      await postgres.stop()
      root[Symbol.dispose]()
    })

    test("is not served, and the refusal names the command", async () => {
      await expect(requireNewest()).rejects.toThrow("bizauth database restored --backup-at TIME")
    })

    test("is not recorded while a process serves from it, for a wrong time, or on a file", async () => {
      const database = databaseAt(url)
      const { engine, store } = await database.open()
      const workers = engine.workers({ machine: realMachine, log: silent })
      for (const worker of workers) worker.start()
      await until("it is refused", async () =>
        (await restored(backupAt)).err.includes("Stop every service on it first"),
      )
      for (const worker of workers) await worker.stop()
      await store.close()
      await database.close()
      for (const [time, exit, words] of [
        [formatInstant(machine.now() + HOUR), EXIT.DATA, "is in the future"],
        [formatInstant(machine.now() - HOUR), EXIT.DATA, "so its state is newer than"],
        ["yesterday", EXIT.USAGE, "must be a time"],
      ] as const) {
        await until("the process has gone", async () => !(await restored(time)).err.includes("Stop every service"))
        expect(await restored(time)).toMatchObject({ exit, err: expect.stringContaining(words) })
      }
      const { paths: file } = await createDataDirectory(at("file"), "test", realMachine)
      expect(await restored(backupAt, file.directory)).toMatchObject({ exit: EXIT.USAGE })
      await expect(requireNewest()).rejects.toThrow("is an older copy")
    })

    test.each([...SERVER_RESTORE_STEPS])("whose record is killed before %s is recorded once", async (step) => {
      await broughtBack()
      const program = join(import.meta.dir, "restored-process.ts")
      const child = Bun.spawn([process.execPath, program, paths.directory, url, backupAt, step], { stderr: "inherit" })
      await child.exited
      expect(child.signalCode).toBe("SIGKILL")
      if (step !== "SIZE_RECORD") {
        await expect(requireNewest()).rejects.toThrow("is an older copy")
        expect((await restored(backupAt)).exit).toBe(EXIT.DONE)
      }
      await requireNewest()
      expect(await restored(backupAt)).toMatchObject({
        exit: EXIT.DATA,
        err: expect.stringContaining("recorded already"),
      })
      expect(await openedAsConfigured(paths, ({ store }) => store.read(restores))).toHaveLength(1)
      cpSync(join(at("second"), "log-size.json"), join(paths.directory, "log-size.json"))
    })

    test("gets the next name of the log with the size that is known, and serves from every directory", async () => {
      await broughtBack()
      const record = readSizeRecord(paths.directory)
      const ran = await restored(backupAt)
      const { log, recorded_before } = JSON.parse(ran.out)
      expect([ran.exit, log.origin_before, log.origin]).toEqual([EXIT.DONE, earlier, earlier.replace(/1$/, "2")])
      expect(recorded_before).toEqual({ tree_size: record?.size, at: record?.at })
      expect(log.tree_size).toBe((record?.size ?? 0) - 1)
      const [before] = await openedAsConfigured(paths, ({ store }) => store.read(earlierOrigins))
      const root = Buffer.from(record?.rootHash ?? []).toString("hex")
      expect(before).toMatchObject({ origin: earlier, tree_size: log.tree_size })
      expect(before?.why).toBe(
        `restored from a backup of ${backupAt}; at ${record?.at} the log had ${record?.size} leaves and the root ${root}`,
      )
      await requireNewest()
      await requireNewest(dataPaths(at("second")))
      expect(readSizeRecord(paths.directory)?.size).toBe(log.tree_size)
    })

    test("is recorded again with the same time while it still cannot be served, and nothing more is void", async () => {
      const recorded = () => openedAsConfigured(paths, ({ store }) => store.read(restores))
      const before = await recorded()
      const condemned = async () => {
        await openedAsConfigured(paths, ({ store }) =>
          store.run(() => putMeta("log_shorter", JSON.stringify({ seen: 9, found: 2 }))),
        )
      }
      await condemned()
      await expect(requireNewest()).rejects.toThrow("cannot be served")
      const withOffset = backupAt.replace(/\.\d+Z$/, (end) => `${end.slice(0, -1)}+00:00`)
      for (const time of [backupAt, withOffset]) {
        const ran = await restored(time)
        expect([ran.exit, JSON.parse(ran.out)]).toEqual([EXIT.DONE, expect.objectContaining({ recorded_again: true })])
        expect(JSON.parse(ran.out).log.origin).not.toBe(JSON.parse(ran.out).log.origin_before)
        await requireNewest()
        expect((await restored(time)).err).toContain("recorded already")
        await condemned()
      }
      expect((await restored(backupAt)).exit).toBe(EXIT.DONE)
      // A record that was written after the restore, and is ahead.
      const at = formatInstant(Date.now())
      writeSizeRecord(paths.directory, { size: 1_000, rootHash: new Uint8Array(32), at })
      await expect(requireNewest()).rejects.toThrow("is an older copy")
      expect((await restored(backupAt)).exit).toBe(EXIT.DONE)
      await requireNewest()
      expect(await recorded()).toEqual(before)
    })

    test("is not recorded by a clock that differs from the server's", async () => {
      for (const [ahead, words] of [
        [1_500, "ahead of"],
        [-1_500, "behind"],
      ] as const) {
        const wrong = recordServerRestore({ paths, url, backupAt }, { machine: { now: () => Date.now() + ahead } })
        await expect(wrong).rejects.toThrow(words)
      }
    })

    test("sells nothing, has no token, and finds the payments of the gap; an hour later this is over", async () => {
      await selling(async (server) => {
        const answer = await server.post(purchase().body, {}, companyCheckRules.path)
        expect([answer.status, (await answer.json()).code]).toEqual([503, "RESTORED_RECENTLY"])
        const { machine: clock, status } = serverOver(server.store)
        clock.set(machine.now())
        expect((await (await status(held)).json()).token_state).not.toBe("ISSUED")
        const pass = async (ms: number) => {
          machine.advance(ms)
          await chain.setNextBlockTimestamp(Math.ceil(machine.now() / SECOND))
          await chain.mine(3)
        }
        await pass(MINUTE)
        await scanAfterRestore(server.deps)
        const found = await server.store.read(lostTransfers)
        expect(found.map(({ value }) => value).toSorted()).toEqual(["40000", "5000"])
        await pass(HOUR)
        await scanAfterRestore(server.deps)
        await server.readiness.run()
        const again = await server.post(before.purchase.body, before.payment, before.purchase.path)
        expect([again.status, (await again.json()).execution_id]).toEqual([200, JSON.parse(before.text).execution_id])
        expect((await server.store.read(restoreScan))?.done_at).not.toBeNull()
        expect(server.readiness.reasons().map(({ code }) => code)).not.toContain("RESTORED_RECENTLY")
      })
    })

    test("counts as the newest state after the declaration", async () => {
      await emptied()
      await createDataDirectory(at("fresh"), "test", realMachine, { databaseFile: at("url"), logHost: "svc.example" })
      expect((await restored(formatInstant(Date.now()), at("fresh"))).exit).toBe(EXIT.DONE)
      const declared = await runCommand(restoreCommand, ["--backup-is-newest", "--data", at("fresh"), "--json"])
      expect([declared.exit, JSON.parse(declared.out)]).toEqual([EXIT.DONE, expect.objectContaining({ declared: 1 })])
    })
  },
)
