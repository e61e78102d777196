/** What is slow to read is looked at now and then, however often metrics are read; its age is shown, and it is dropped when too old. */

import { afterAll, describe, expect, test } from "bun:test"
import { mkdirSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { BackupPoll } from "../../src/admin/backup-poll.ts"
import { EventLoopLag } from "../../src/admin/event-loop-lag.ts"
import { RelayerPoll } from "../../src/admin/relayer-poll.ts"
import { HOUR, MINUTE } from "../../src/core/time.ts"
import { backupName } from "../../src/data/backup/backup-folder.ts"
import { BASE } from "../../src/payments/networks/base.ts"
import type { Payments } from "../../src/payments/payments.ts"
import { RpcUnavailable } from "../../src/payments/rpc.ts"
import { freshDirectory } from "../fixtures/directories.ts"
import { testShell } from "../fixtures/shell.ts"

const { log } = testShell().shell
const folder = freshDirectory()
afterAll(() => folder[Symbol.dispose]())

/** Turns of the event loop until what a timer begins has ended: a module that is loaded then takes some. */
async function settled(): Promise<void> {
  for (let turns = 0; turns < 4; turns++) await Bun.sleep(0)
}
// The first load of these modules reads files.
await Promise.all([import("../../src/payments/relayer-funds.ts"), import("../../src/payments/rpc.ts")])

/** Time passes when the test says so, and timers run late by `lateMs`. */
function manualTime() {
  let at = 0
  let due: { at: number; callback: () => void }[] = []
  return {
    now: () => 1_800_000_000_000 + at,
    monotonic: () => at,
    after: (ms: number, callback: () => void) => {
      const timer = { at: at + ms, callback }
      due.push(timer)
      return () => {
        due = due.filter((one) => one !== timer)
      }
    },
    /** Runs every timer that is due within `ms`, and what it begins. */
    pass: async (ms: number, lateMs = 0) => {
      const end = at + ms
      for (;;) {
        const [next] = due.filter((one) => one.at <= end).sort((one, other) => one.at - other.at)
        if (!next) break
        at = Math.max(at, next.at + lateMs)
        due = due.filter((one) => one !== next)
        next.callback()
        await settled()
      }
      at = Math.max(at, end)
    },
  }
}

describe("the relayer's ether", () => {
  const BALANCE = 100n * 10n ** 15n

  function relayer() {
    const time = manualTime()
    const node = { balances: 0, isDown: false }
    const primary = {
      name: "primary",
      block: async () => ({ baseFeePerGas: 10_000_000n }),
      ask: async () => 1_000_000n,
      call: async () => "0x",
      etherBalance: async () => {
        node.balances++
        if (node.isDown) throw new RpcUnavailable("primary", "eth_getBalance")
        return BALANCE
      },
    }
    const gasPolicy = { ethUsdMicros: 1_000_000_000n, priorityFeeMax: 1_000_000n }
    const settler = { kind: "self", relayer: { address: `0x${"1".repeat(40)}` } }
    const payments = { chain: { network: BASE, primary }, gasPolicy, settler } as unknown as Payments
    let opened: Payments | null = null
    const poll = new RelayerPoll({ machine: time, log, payments: () => opened })
    const open = () => {
      opened = payments
    }
    const values = () => Object.fromEntries(poll.samples().map(({ metric, value }) => [metric, value]))
    return { time, node, poll, open, values }
  }

  test("is looked at once a minute after payments open", async () => {
    const { time, node, poll, open, values } = relayer()
    const worker = poll.worker()
    worker.start()
    await time.pass(5 * MINUTE)
    expect([node.balances, values()]).toEqual([0, {}])
    open()
    await time.pass(2_000)
    // A settlement costs at most 120,000 gas at 21,000,000 wei.
    const paymentsLeft = Number(BALANCE / (120_000n * 21_000_000n))
    expect(values()["bizauth_relayer_payments_left"]).toBe(paymentsLeft)
    for (let read = 0; read < 1000; read++) poll.samples()
    const before = node.balances
    await time.pass(10 * MINUTE)
    // Two queries a poll: for the number itself, and for the plan of the gas.
    expect(node.balances - before).toBe(2 * 10)
    await worker.stop()
  })

  test("keeps its last number with its age while the node does not answer, for ten minutes", async () => {
    const { time, node, poll, open, values } = relayer()
    const worker = poll.worker()
    worker.start()
    open()
    await time.pass(2_000)
    node.isDown = true
    await time.pass(9 * MINUTE)
    expect(values()["bizauth_relayer_look_age_seconds"]).toBeWithin(9 * 60 - 2, 9 * 60 + 2)
    await time.pass(MINUTE + 2_000)
    expect(values()).toEqual({})
    node.isDown = false
    await time.pass(MINUTE + 2_000)
    expect(values()["bizauth_relayer_look_age_seconds"]).toBeLessThan(62)
    await worker.stop()
  })
})

describe("the newest backup", () => {
  test("is looked at once a minute; without one its age is infinite", async () => {
    const time = manualTime()
    const path = join(folder.path, "backups")
    const poll = new BackupPoll({ folder: path, machine: time, log })
    const worker = poll.worker()
    worker.start()
    expect(poll.ageSeconds()).toBeNull()
    await time.pass(1_000)
    expect(poll.ageSeconds()).toBe(Number.POSITIVE_INFINITY)
    mkdirSync(path)
    writeFileSync(join(path, backupName(time.now() - HOUR)), "")
    writeFileSync(join(path, backupName(time.now() - 3 * HOUR)), "")
    await time.pass(58_000)
    expect(poll.ageSeconds()).toBe(Number.POSITIVE_INFINITY)
    await time.pass(3_000)
    expect(poll.ageSeconds()).toBeWithin(3600, 3700)
    rmSync(path, { recursive: true })
    writeFileSync(path, "no folder")
    await time.pass(HOUR)
    expect(poll.ageSeconds()).toBeWithin(7200, 7300)
    await worker.stop()
  })
})

test("the lag of the event loop is by how much a timer ran late", async () => {
  const time = manualTime()
  const lag = new EventLoopLag(time)
  const worker = lag.worker()
  worker.start()
  await time.pass(5_000)
  expect([lag.histogram.counts[0], lag.histogram.sum]).toEqual([10, 0])
  await time.pass(500, 300)
  expect(lag.histogram.counts.reduce((sum, count) => sum + count)).toBe(11)
  expect([lag.histogram.sum, lag.histogram.counts[lag.histogram.bounds.indexOf(500)]]).toEqual([300, 1])
  await worker.stop()
  await time.pass(5_000)
  expect(lag.histogram.sum).toBe(300)
})
