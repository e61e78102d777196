/** The compiled file under a service manager: READY means that it listens, and not that it sells. */
import { afterAll, expect, setDefaultTimeout, test } from "bun:test"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { initialised, serve } from "../../fixtures/binary.ts"
import { DEV_ACCOUNTS, DEV_KEYS } from "../../fixtures/chain.ts"
import { freshDirectory } from "../../fixtures/directories.ts"
import { freePort } from "../../fixtures/free-port.ts"
import { datagramSocket } from "../../fixtures/unix-datagrams.ts"
import { until } from "../../fixtures/until.ts"

setDefaultTimeout(60_000)

const IS_LINUX = process.platform === "linux"
const fresh = freshDirectory()
afterAll(() => fresh[Symbol.dispose]())

test.skipIf(!IS_LINUX)(
  `serve says READY, lives and STOPPING, although its node is dead${IS_LINUX ? "" : " (NOT RUN: not Linux)"}`,
  async () => {
    const name = join(fresh.path, "notify")
    const socket = datagramSocket(name)
    const environment = { NOTIFY_SOCKET: name, WATCHDOG_USEC: "400000" }
    writeFileSync(join(fresh.path, "relayer.key"), DEV_KEYS[1], { mode: 0o600 })
    // Nothing listens there, so nothing can be sold.
    const node = ["--payments", "test", "--rpc-url", `http://127.0.0.1:${freePort()}`]
    const places = ["--pay-to", DEV_ACCOUNTS.payTo.address, "--relayer-key-file", join(fresh.path, "relayer.key")]
    const running = await serve(await initialised(fresh.path), [...node, ...places], { environment })
    const messages: string[] = []
    const come = (text: string) =>
      until(text, () => {
        messages.push(...socket.received())
        return messages.some((message) => message.startsWith(text))
      })
    await come("READY=1")
    expect(messages[0]).toBe(`READY=1\nSTATUS=listening ${running.origin}`)
    expect((await fetch(`${running.origin}/readyz`)).status).toBe(503)
    await come("WATCHDOG=1")
    expect(await running.stop()).toBe(0)
    await come("STOPPING=1")
    socket.close()
  },
)
