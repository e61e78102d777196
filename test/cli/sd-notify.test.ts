/** What `serve` tells systemd, received by a socket of the test. */
import { afterAll, describe, expect } from "bun:test"
import { rmSync } from "node:fs"
import { join } from "node:path"
import { createLog } from "../../src/base/log.ts"
import { realMachine } from "../../src/base/machine.ts"
import { openSdNotify } from "../../src/cli/sd-notify.ts"
import { freshDirectory } from "../fixtures/directories.ts"
import { slowTests } from "../fixtures/slow-tests.ts"
import { datagramSocket } from "../fixtures/unix-datagrams.ts"
import { until } from "../fixtures/until.ts"

const test = slowTests(import.meta.path)

const IS_LINUX = process.platform === "linux"
const fresh = freshDirectory()
afterAll(() => fresh[Symbol.dispose]())

function opened(environment: Record<string, string>) {
  const logged: string[] = []
  const log = createLog("info", (text) => logged.push(text), realMachine.now)
  const delays: number[] = []
  const callbacks: (() => void)[] = []
  const after = (ms: number, callback: () => void) => {
    delays.push(ms)
    callbacks.push(callback)
    return () => {}
  }
  const tick = () => callbacks.shift()?.()
  const manager = openSdNotify({ environment, pid: 7, machine: { after }, log })
  return { manager, logged, delays, tick }
}

describe.skipIf(!IS_LINUX)(`a service manager${IS_LINUX ? "" : " (NOT RUN: not Linux)"}`, () => {
  test.each([
    ["a path", join(fresh.path, "notify")],
    ["an abstract name", `@bizauth-test-${process.pid}`],
  ])("is told over %s that the service listens, lives and stops", async (_, name) => {
    const socket = datagramSocket(name)
    const { manager, logged, delays, tick } = opened({
      NOTIFY_SOCKET: name,
      WATCHDOG_USEC: "3000000",
      WATCHDOG_PID: "7",
    })
    const opening = await manager
    expect(socket.received()).toEqual([])
    opening?.ready("listening http://127.0.0.1:1")
    expect(socket.received()).toEqual(["READY=1\nSTATUS=listening http://127.0.0.1:1"])
    tick()
    tick()
    expect(socket.received()).toEqual(["WATCHDOG=1", "WATCHDOG=1"])
    expect(delays.slice(0, 2)).toEqual([1500, 1500])
    opening?.stopping()
    expect(socket.received()).toEqual(["STOPPING=1"])
    expect(logged).toEqual([])
    socket.close()
  })

  test.each([
    ["no watchdog", {}],
    ["the watchdog of another process", { WATCHDOG_USEC: "3000000", WATCHDOG_PID: "8" }],
    ["a watchdog without a time", { WATCHDOG_USEC: "x" }],
  ])("that has %s is told nothing after the start", async (_, environment) => {
    const name = join(fresh.path, "quiet")
    const socket = datagramSocket(name)
    const { manager, delays } = opened({ NOTIFY_SOCKET: name, ...environment })
    const opening = await manager
    opening?.ready("listening")
    expect([socket.received().length, delays]).toEqual([1, []])
    socket.close()
    rmSync(name)
  })

  test.each([
    ["a relative path", "notify.sock"],
    ["a name that is too long", `/${"x".repeat(107)}`],
  ])("is not there under %s, which the log says once", async (_, name) => {
    const { manager, logged } = opened({ NOTIFY_SOCKET: name })
    expect(await manager).toBeNull()
    expect(logged.join("")).toContain("service_manager_unreachable")
  })

  test("that takes nothing any more is logged once, and the service goes on", async () => {
    const { manager, logged, tick } = opened({ NOTIFY_SOCKET: join(fresh.path, "gone"), WATCHDOG_USEC: "1000000" })
    const opening = await manager
    opening?.ready("listening")
    tick()
    opening?.stopping()
    expect(logged.join("").match(/service_manager_unreachable/g)).toHaveLength(1)
  })

  test("gets no sign of life from an event loop that hangs", async () => {
    const name = join(fresh.path, "hung")
    const socket = datagramSocket(name)
    const program = `
      const { openSdNotify } = await import(${JSON.stringify(join(import.meta.dir, "../../src/cli/sd-notify.ts"))})
      const { realMachine } = await import(${JSON.stringify(join(import.meta.dir, "../../src/base/machine.ts"))})
      const log = { error: (...words) => console.error(words) }
      const manager = await openSdNotify({ environment: process.env, pid: process.pid, machine: realMachine, log })
      manager.ready("listening")
      setTimeout(() => { for (;;) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1000) }, 1000)`
    const environment = { PATH: process.env["PATH"] ?? "", NOTIFY_SOCKET: name, WATCHDOG_USEC: "200000" }
    const child = Bun.spawn([process.execPath, "-e", program], {
      env: environment,
      stdout: "ignore",
      stderr: "inherit",
    })
    const messages: string[] = []
    await until("it lives", () => {
      messages.push(...socket.received())
      return messages.length > 4
    })
    await Bun.sleep(1500)
    socket.received()
    await Bun.sleep(500)
    expect(socket.received()).toEqual([])
    child.kill("SIGKILL")
    await child.exited
    socket.close()
  })
})

test("without NOTIFY_SOCKET nothing is opened", async () => {
  for (const environment of [{}, { NOTIFY_SOCKET: "" }] as Record<string, string>[]) {
    const { manager, logged } = opened(environment)
    expect([await manager, logged]).toEqual([null, []])
  }
})
