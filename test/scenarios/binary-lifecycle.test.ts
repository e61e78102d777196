/** From an empty directory to a clean end, in an operator's order. Runs against the compiled file when BIZAUTH_BINARY names it. */
import { Database } from "bun:sqlite"
import { expect, test } from "bun:test"
import { existsSync, mkdirSync, statSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { PLAIN_ENVIRONMENT } from "../../scripts/plain-environment.ts"
import { enrolmentRequest, enrolTestAgent, makeAgentKeys } from "../fixtures/agent.ts"
import { compiledBinary, programUnderTest, run, serve } from "../fixtures/binary.ts"
import { freshDirectory } from "../fixtures/directories.ts"

async function initialised(path: string): Promise<string> {
  const data = join(path, "data")
  expect((await run(["init", "--data", data, "--environment", "test"])).exit).toBe(0)
  return data
}

test("init, serve on a free port, a response and a stop: one line on stdout, exit 0, an empty write-ahead log", async () => {
  using fresh = freshDirectory()
  const data = await initialised(fresh.path)
  await using server = await serve(data)
  expect(server.out()).toBe(`listening ${server.origin}\n`)
  expect(Number(new URL(server.origin).port)).toBeGreaterThan(0)
  await server.logged('"event":"started"')
  expect(server.err()).toContain(`"data":${JSON.stringify(data)}`)
  expect(server.err()).toContain(`"base_url":"${server.origin}"`)
  for (const path of ["/livez", "/readyz", "/.well-known/jwks.json"]) {
    expect((await fetch(server.origin + path)).status).toBe(200)
  }
  expect(await server.stop()).toBe(0)
  expect(server.out()).toBe(`listening ${server.origin}\n`)
  expect(existsSync(join(data, "bizauth.db-wal"))).toBe(false)
})

test("background work begins 50 ms after the log says that the server started", async () => {
  using fresh = freshDirectory()
  const data = await initialised(fresh.path)
  await using server = await serve(data, ["--disk-free-min-mb", "1000000"])
  await server.logged('"event":"readiness_changed"')
  const timeOf = (event: string) =>
    Date.parse(new RegExp(`"time":"([^"]+)".*"event":"${event}"`).exec(server.err())?.[1] ?? "")
  expect(timeOf("readiness_changed") - timeOf("started")).toBeGreaterThanOrEqual(50)
})

test("under load a thread of the program moves the write-ahead log to the database file", async () => {
  using fresh = freshDirectory()
  const data = await initialised(fresh.path)
  await using server = await serve(data, ["--rate-limits", "off"])
  const file = join(data, "bizauth.db")
  const database = new Database(file)
  const pages = () => database.query<{ log: number }, []>("PRAGMA wal_checkpoint(NOOP)").get()?.log
  // Only a checkpoint writes to this file.
  const writtenAt = () => statSync(file).mtimeMs
  try {
    const before = writtenAt()
    while (writtenAt() === before) {
      await enrolTestAgent(fetch, server.origin)
      // From 16,384 pages on a COMMIT of the server would do it.
      expect(pages()).toBeLessThan(16_384)
    }
  } finally {
    database.close(true)
  }
  expect(server.err()).not.toContain("worker_failed")
  expect(await server.stop()).toBe(0)
  expect(existsSync(join(data, "bizauth.db-wal"))).toBe(false)
})

test("a signal that comes as soon as the log says that the server started stops it as any other does", async () => {
  using fresh = freshDirectory()
  const data = await initialised(fresh.path)
  for (let times = 0; times < 5; times++) {
    const child = Bun.spawn([...programUnderTest, "serve", "--data", data, "--listen", "127.0.0.1:0"], {
      env: PLAIN_ENVIRONMENT,
      stdin: "ignore",
      stdout: "ignore",
      stderr: "pipe",
    })
    let log = ""
    let isSent = false
    for await (const chunk of child.stderr) {
      log += new TextDecoder().decode(chunk)
      if (isSent || !log.includes('"event":"started"')) continue
      isSent = true
      child.kill("SIGTERM")
    }
    expect([await child.exited, log.includes('"event":"stopped"')]).toEqual([0, true])
  }
})

test("SIGINT stops the server as SIGTERM does", async () => {
  using fresh = freshDirectory()
  await using server = await serve(await initialised(fresh.path))
  server.signal("SIGINT")
  expect(await server.exited).toBe(0)
})

/** A challenge is written to the database, so a lock held by the test delays its request for as long as the test needs. */
function lock(data: string): { release(): void } {
  const database = new Database(join(data, "bizauth.db"))
  // The server may write now.
  database.run("PRAGMA busy_timeout = 5000")
  database.run("BEGIN IMMEDIATE")
  return {
    release: () => {
      database.run("ROLLBACK")
      database.close()
    },
  }
}

/**
 * Starts a request for a challenge, which waits for the lock, and resolves when the server runs it. /livez goes before it in the same bytes: the
 * server reads both requests before it sends its first response. `status` is "cut" when the connection ends without the second response.
 */
async function waitingRequest(origin: string): Promise<{ readonly status: Promise<number | "cut"> }> {
  const { hostname, port } = new URL(origin)
  const first = Promise.withResolvers<void>()
  const second = Promise.withResolvers<number | "cut">()
  let received = ""
  const socket = await Bun.connect({
    hostname,
    port: Number(port),
    socket: {
      data: (_, bytes) => {
        received += bytes.toString()
        const [live, challenge] = [...received.matchAll(/HTTP\/1\.1 (\d{3})/g)]
        if (live) first.resolve()
        if (challenge) second.resolve(Number(challenge[1]))
      },
      close: () => {
        first.reject(new Error(`the connection ended before the first response: ${received}`))
        second.resolve("cut")
      },
    },
  })
  const body = JSON.stringify(enrolmentRequest(makeAgentKeys()))
  const post = `POST /v1/agent-identities/challenges HTTP/1.1\r\nHost: h\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`
  socket.write(`GET /livez HTTP/1.1\r\nHost: h\r\n\r\n${post}`)
  await first.promise
  void second.promise.then(() => socket.end())
  return { status: second.promise }
}

/** The status of the response, or "cut" when the connection ended without one. */
function outcome(url: string): Promise<number | "cut"> {
  return fetch(url).then(
    ({ status }) => status,
    () => "cut" as const,
  )
}

test("a stop waits until the running request has its response", async () => {
  using fresh = freshDirectory()
  const data = await initialised(fresh.path)
  await using server = await serve(data)
  const held = lock(data)
  const { status } = await waitingRequest(server.origin)
  server.signal("SIGTERM")
  await server.logged('"event":"stopping"')
  expect(await outcome(`${server.origin}/livez`)).toBe("cut")
  held.release()
  expect(await status).toBe(201)
  expect(await server.exited).toBe(0)
  expect(server.err()).not.toContain("requests_cut")
})

test("a second signal ends the process at once, even with a running request", async () => {
  using fresh = freshDirectory()
  const data = await initialised(fresh.path)
  await using server = await serve(data)
  const held = lock(data)
  const { status } = await waitingRequest(server.origin)
  server.signal("SIGTERM")
  await server.logged('"event":"stopping"')
  server.signal("SIGTERM")
  expect(await server.exited).toBeNull()
  expect(await status).toBe("cut")
  expect(server.err()).not.toContain('"event":"stopped"')
  held.release()
})

test("a request that does not finish within shutdown_seconds is cut, and the stop is still clean", async () => {
  using fresh = freshDirectory()
  const data = await initialised(fresh.path)
  await using server = await serve(data, ["--shutdown-seconds", "0"])
  const held = lock(data)
  const { status } = await waitingRequest(server.origin)
  server.signal("SIGTERM")
  expect(await status).toBe("cut")
  held.release()
  expect(await server.exited).toBe(0)
  expect(server.err()).toContain("requests_cut")
})

test("SIGUSR1 lowers the log level of the running process and does not end it", async () => {
  using fresh = freshDirectory()
  await using server = await serve(await initialised(fresh.path), ["--log-level", "error"])
  await fetch(`${server.origin}/livez`)
  expect(server.err()).toBe("")
  server.signal("SIGUSR1")
  await server.logged("log_level_lowered")
  await fetch(`${server.origin}/livez`)
  await server.logged('"operation":"get_liveness"')
  expect(await server.stop()).toBe(0)
})

test("after SIGKILL the next start serves the same keys", async () => {
  using fresh = freshDirectory()
  const data = await initialised(fresh.path)
  const keys = async (origin: string) => (await fetch(`${origin}/.well-known/jwks.json`)).text()
  await using first = await serve(data)
  const before = await keys(first.origin)
  await first.kill()
  await using second = await serve(data)
  expect(await keys(second.origin)).toBe(before)
})

test("two servers share one data directory, and neither takes the other's port", async () => {
  using fresh = freshDirectory()
  const data = await initialised(fresh.path)
  await using first = await serve(data)
  await using second = await serve(data)
  for (const { origin } of [first, second]) expect((await fetch(`${origin}/readyz`)).status).toBe(200)
  const refused = await run(["serve", "--data", data, "--listen", new URL(first.origin).host])
  expect(refused.exit).toBe(6)
  expect(refused.err).toContain("cannot listen on")
  expect(await second.stop()).toBe(0)
  expect((await fetch(`${first.origin}/readyz`)).status).toBe(200)
})

test.skipIf(compiledBinary === null)(
  "the compiled file loads neither .env nor a preload from its working directory (needs BIZAUTH_BINARY)",
  async () => {
    using fresh = freshDirectory()
    const hostile = join(fresh.path, "hostile")
    mkdirSync(hostile)
    writeFileSync(join(hostile, ".env"), "BIZAUTH_PAYMENTS=live\n")
    writeFileSync(join(hostile, "bunfig.toml"), 'preload = ["./evil.ts"]\n')
    writeFileSync(join(hostile, "evil.ts"), 'await Bun.write("owned", "x")\n')
    const ran = await run(["config", "print", "--origin"], { cwd: hostile })
    expect(ran.exit).toBe(0)
    expect(ran.out).toContain('payments = "off"  # default')
    expect(existsSync(join(hostile, "owned"))).toBe(false)
  },
)

test.skipIf(compiledBinary === null)(
  "the compiled file contains its build information and needs no other file (needs BIZAUTH_BINARY)",
  async () => {
    using fresh = freshDirectory()
    const { out } = await run(["version", "--json"], { cwd: fresh.path })
    expect(JSON.parse(out).target).toBe(`bun-${process.platform}-${process.arch}`)
  },
)
