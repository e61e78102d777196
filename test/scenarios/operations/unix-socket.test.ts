/** `serve` on a Unix socket, as a process: who may have the path, what others see of it, and the stop. */
import { afterAll, expect, setDefaultTimeout, test } from "bun:test"
import { existsSync, lstatSync, mkdirSync, readdirSync } from "node:fs"
import { connect } from "node:net"
import { join } from "node:path"
import { verifyAgentSignature } from "../../../schemas/agent-id/signature-operations.ts"
import { initialised, type Running, run, serve } from "../../fixtures/binary.ts"
import { freshDirectory } from "../../fixtures/directories.ts"
import { datagramSocket } from "../../fixtures/unix-datagrams.ts"
import { until } from "../../fixtures/until.ts"

setDefaultTimeout(60_000)

const fresh = freshDirectory()
afterAll(() => fresh[Symbol.dispose]())

const BEHIND = ["--base-url", "https://svc.example", "--trusted-proxies", "unix:"]

function place(name: string) {
  const folder = join(fresh.path, name)
  mkdirSync(folder)
  const path = join(folder, "http.sock")
  return { folder, path, flags: ["--listen", `unix:${path}`, ...BEHIND] }
}

const get = (unix: string, path: string, headers: Record<string, string> = {}) =>
  fetch(`http://svc.example${path}`, { unix, headers, keepalive: false })

const isLive = async (unix: string) => (await get(unix, "/livez")).status === 200

test("a live socket is never taken over, that of a killed process is, and a clean stop removes it", async () => {
  const { folder, path, flags } = place("one")
  const data = await initialised(folder)
  const first = await serve(data, flags)
  expect(first.out()).toBe(`listening unix:${path}\n`)
  expect(lstatSync(path).mode & 0o777).toBe(0o660)
  const second = await run(["serve", "--data", data, ...flags])
  expect([second.exit, second.err]).toEqual([
    6,
    expect.stringContaining(`cannot listen on unix:${path}: another process listens there`),
  ])
  expect(await isLive(path)).toBe(true)
  // A second process on the same directory has its own socket.
  const other = join(folder, "other.sock")
  await using beside = await serve(data, ["--listen", `unix:${other}`, ...BEHIND])
  expect([await isLive(path), await isLive(other)]).toEqual([true, true])
  expect(await beside.stop()).toBe(0)
  await first.kill()
  expect(lstatSync(path).isSocket()).toBe(true)
  await using third = await serve(data, flags)
  expect(await isLive(path)).toBe(true)
  expect(await third.stop()).toBe(0)
  expect(readdirSync(folder)).toEqual(["data"])
})

test("systemd, check and config print name the socket, and requests without a forwarded address are logged once", async () => {
  const { folder, path, flags } = place("two")
  const data = await initialised(folder)
  const notify = datagramSocket(join(folder, "notify"))
  await using running = await serve(data, flags, { environment: { NOTIFY_SOCKET: join(folder, "notify") } })
  const messages: string[] = []
  await until("READY", () => {
    messages.push(...notify.received())
    return messages.length > 0
  })
  notify.close()
  expect(messages[0]).toBe(`READY=1\nSTATUS=listening unix:${path}`)
  await until("it is recorded", () => existsSync(join(data, "running.json")))
  const checked = await run(["check", "--data", data, "--offline", "--json", ...flags])
  const lines = (JSON.parse(checked.out) as { lines: { name: string; state: string; what: string }[] }).lines
  expect(lines.find(({ name }) => name === "running")?.state).toBe("OK")
  expect(lines.find(({ name }) => name === "proxy")).toMatchObject({ state: "OK", what: "trusted: unix:" })
  const answers = await run(["check", "--running", "--data", data])
  expect([answers.exit, answers.out]).toEqual([0, expect.stringContaining(`answers at unix:${path}`)])
  const printed = await run(["config", "print", "--data", data, "--json", ...flags])
  expect(printed.out).toContain(`"unix:${path}"`)
  expect((await run(["config", "check", "--data", data, ...flags])).exit).toBe(0)
  expect(await isLive(path)).toBe(true)
  for (let round = 0; round < 2; round++) await get(path, "/v1/us/federal/source-health")
  await get(path, "/v1/us/federal/source-health", { "x-forwarded-for": "203.0.113.77" })
  expect(await running.stop()).toBe(0)
  expect(running.err().match(/"forwarded_address_missing"/g)).toHaveLength(1)
  expect(running.err()).not.toContain("203.0.113.77")
})

test("a limit counts each forwarded client alone", async () => {
  const { folder, path, flags } = place("three")
  await using running = await serve(await initialised(folder), flags)
  const budgets = async (address: string) => {
    const answer = await fetch(`http://svc.example${verifyAgentSignature.path}`, {
      method: "POST",
      unix: path,
      keepalive: false,
      headers: { "content-type": "application/json", "x-forwarded-for": address },
      body: "{}",
    })
    return Number(/;r=(\d+)/.exec(answer.headers.get("ratelimit") ?? "")?.[1])
  }
  const [one, two] = [await budgets("192.0.2.1"), await budgets("192.0.2.1")]
  expect(one).toBeGreaterThan(1)
  expect(two).toBe(one - 1)
  expect(await budgets("192.0.2.2")).toBe(one)
  // The client wrote the first address.
  expect(await budgets("192.0.2.99, 192.0.2.2")).toBe(one - 1)
  expect(await running.stop()).toBe(0)
})

test("a request whose body is on the way when the stop begins gets its answer", async () => {
  const { folder, path, flags } = place("four")
  const running = await serve(await initialised(folder), flags)
  const { socket, received } = await begun(path)
  running.signal("SIGTERM")
  await until("the socket is gone", () => !existsSync(path))
  socket.write("{}")
  expect(await received).toStartWith("HTTP/1.1 4")
  expect(await running.exited).toBe(0)
  expect(events(running)).toEqual(["stopping", "stopped"])
})

/** A POST without its body. */
async function begun(path: string) {
  const socket = connect(path)
  const received = new Promise<string>((resolve, reject) => {
    socket.on("data", (bytes) => resolve(bytes.toString()))
    socket.on("error", reject)
  })
  const head = `POST ${verifyAgentSignature.path} HTTP/1.1\r\nHost: svc.example\r\nContent-Type: application/json`
  socket.write(`${head}\r\nX-Forwarded-For: 192.0.2.1\r\nContent-Length: 2\r\n\r\n`)
  // The server has the head before the stop begins.
  await Bun.sleep(200)
  return { socket, received }
}

function events({ err }: Running): readonly string[] {
  return err()
    .split("\n")
    .flatMap((line) => /"event":"(stopping|requests_cut|stopped)"/.exec(line)?.[1] ?? [])
}
