/** The admin listener on real sockets: who may read what, and the limits. */
import { afterAll, describe, expect, test } from "bun:test"
import { chmodSync, lstatSync, mkdirSync, readdirSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { ADMIN_REQUESTS_MAX } from "../../src/admin/admin-requests.ts"
import { digestOfToken } from "../../src/admin/admin-token.ts"
import { type AdminListener, listenAdmin } from "../../src/admin/listen-admin.ts"
import { listenAddress } from "../../src/base/listen-address.ts"
import { createLog } from "../../src/base/log.ts"
import { freshDirectory } from "../fixtures/directories.ts"
import { rawExchange } from "../fixtures/shell.ts"

const folder = freshDirectory()
afterAll(() => folder[Symbol.dispose]())
const TOKEN = "0123456789abcdefghijklmnopqrstuv"

async function admin(listen: string, token: string | null = null) {
  const logged: string[] = []
  const log = createLog("debug", (line) => logged.push(line), Date.now)
  const address = listenAddress(listen)
  const listener = await listenAdmin({ address, tokenDigest: token === null ? null : digestOfToken(token), log })
  return { ...listener, logged, [Symbol.asyncDispose]: () => listener.stop() }
}

const open = (listener: AdminListener, page = "bizauth_ready 1\n") => listener.open(async () => page)

async function get(url: string, options: RequestInit & { unix?: string } = {}) {
  const answer = await fetch(url, options)
  return { status: answer.status, text: await answer.text(), headers: answer.headers }
}

describe("the page", () => {
  test("is given for GET and HEAD, never cached, in the text format", async () => {
    await using listener = await admin("127.0.0.1:0")
    open(listener)
    const page = await get(listener.name)
    expect([page.status, page.text]).toEqual([200, "bizauth_ready 1\n"])
    expect(page.headers.get("content-type")).toBe("text/plain; version=0.0.4; charset=utf-8")
    expect(page.headers.get("cache-control")).toBe("no-store")
    expect(page.headers.get("x-content-type-options")).toBe("nosniff")
    const head = await get(listener.name, { method: "HEAD" })
    expect([head.status, head.text, head.headers.get("content-length")]).toEqual([200, "", "16"])
    expect((await get(`${listener.name}?query=1`)).status).toBe(200)
  })

  test("is a 503 until the service is open, and a 500 with a log line for a bug", async () => {
    await using listener = await admin("127.0.0.1:0")
    expect((await get(listener.name)).status).toBe(503)
    listener.open(() => Promise.reject(new Error("no page")))
    const broken = await get(listener.name)
    expect([broken.status, broken.text.includes("no page")]).toEqual([500, false])
    expect(listener.logged.join("")).toContain("no page")
  })
})

describe("a problem in JSON is the answer", () => {
  test.each(["POST", "PUT", "DELETE", "OPTIONS", "PATCH"])("to %s", async (method) => {
    await using listener = await admin("127.0.0.1:0")
    open(listener)
    const answer = await get(listener.name, { method })
    expect([answer.status, answer.headers.get("allow")]).toEqual([405, "GET, HEAD"])
    expect(JSON.parse(answer.text)).toMatchObject({ type: "about:blank", status: 405 })
    expect(answer.headers.get("content-type")).toBe("application/problem+json")
  })

  test.each(["/", "/metrics/", "/Metrics", "/metrics%2f", "/v1/us/federal/source-health", "/..%2fmetrics"])(
    "to the path %s",
    async (path) => {
      await using listener = await admin("127.0.0.1:0")
      open(listener)
      const answer = await get(new URL(path, listener.name).href)
      expect([answer.status, JSON.parse(answer.text).status]).toEqual([404, 404])
    },
  )

  test.each(["rebound.example:PORT", "rebound.example", "127.0.0.1", "127.0.0.1:1", "localhost:PORT,rebound.example"])(
    "to the Host %s",
    async (host) => {
      await using listener = await admin("127.0.0.1:0")
      open(listener)
      const { port } = new URL(listener.name)
      const sent = `GET /metrics HTTP/1.1\r\nHost: ${host.replace("PORT", port)}\r\nConnection: close\r\n\r\n`
      const answer = await rawExchange(listener.name, sent, "}")
      expect(answer).toStartWith("HTTP/1.1 421 ")
      expect(answer).not.toContain("bizauth_ready")
    },
  )
})

describe("with a token", () => {
  test("the page is given for it alone", async () => {
    await using listener = await admin("127.0.0.1:0", TOKEN)
    open(listener)
    const withHeader = (authorization: string) => get(listener.name, { headers: { authorization } })
    expect((await withHeader(`Bearer ${TOKEN}`)).status).toBe(200)
    expect((await withHeader(`bearer ${TOKEN}`)).status).toBe(200)
    for (const wrong of [
      "",
      "Bearer",
      "Bearer ",
      `Bearer ${TOKEN}x`,
      `Bearer ${TOKEN.slice(1)}`,
      `Basic ${TOKEN}`,
      TOKEN,
    ]) {
      const answer = await withHeader(wrong)
      expect([wrong, answer.status, answer.headers.get("www-authenticate")]).toEqual([wrong, 401, "Bearer"])
      expect(answer.text).not.toContain("bizauth_ready")
    }
  })

  test("nobody learns without it which paths and methods there are", async () => {
    await using listener = await admin("127.0.0.1:0", TOKEN)
    open(listener)
    const statuses = [await get(listener.name, { method: "POST" }), await get(new URL("/", listener.name).href)]
    expect(statuses.map(({ status }) => status)).toEqual([401, 401])
  })
})

describe("a Unix socket", () => {
  const at = (name: string) => {
    mkdirSync(join(folder.path, name))
    return join(folder.path, name, "admin.sock")
  }

  test("takes the Host localhost, is open to user and group alone, and is removed at the stop", async () => {
    const unix = at("one")
    const listener = await admin(unix)
    open(listener)
    expect(listener.name).toBe(`unix:${unix}`)
    expect(lstatSync(unix).mode & 0o777).toBe(0o660)
    expect((await get("http://localhost/metrics", { unix })).text).toBe("bizauth_ready 1\n")
    expect((await get("http://rebound.example/metrics", { unix })).status).toBe(421)
    expect((await get("http://localhost/", { unix })).status).toBe(404)
    await listener.stop()
    expect(readdirSync(join(folder.path, "one"))).toEqual([])
  })

  test("refuses a file that is not a socket, and the socket of a process that listens, which goes on", async () => {
    const unix = at("two")
    writeFileSync(unix, "")
    await expect(admin(unix)).rejects.toThrow("not a socket")
    rmSync(unix)
    await using first = await admin(unix)
    open(first, "first\n")
    await expect(admin(unix)).rejects.toThrow("another process listens there")
    expect((await get("http://localhost/metrics", { unix })).text).toBe("first\n")
  })

  test("in a folder that this user may not write is an error, and nothing is left", async () => {
    const unix = at("three")
    const parent = join(folder.path, "three")
    chmodSync(parent, 0o500)
    try {
      // Root may write everywhere.
      if (process.getuid?.() !== 0) await expect(admin(unix)).rejects.toThrow("EACCES")
      await expect(admin(join(parent, "missing", "admin.sock"))).rejects.toThrow("ENOENT")
      expect(readdirSync(parent)).toEqual([])
    } finally {
      chmodSync(parent, 0o700)
    }
  })
})

describe("limits", () => {
  test(`of more than ${ADMIN_REQUESTS_MAX} requests at once the others get 503, and all that are served get one page`, async () => {
    await using listener = await admin("127.0.0.1:0")
    let release = () => {}
    const held = new Promise<void>((resolve) => {
      release = resolve
    })
    listener.open(async () => {
      await held
      return "page\n"
    })
    const first = Array.from({ length: ADMIN_REQUESTS_MAX }, () => get(listener.name))
    const early = await Promise.race([Promise.all(first), Bun.sleep(200)])
    expect(early).toBeUndefined()
    const late = await get(listener.name)
    expect([late.status, late.headers.get("retry-after")]).toEqual([503, "1"])
    release()
    expect((await Promise.all(first)).map(({ status }) => status)).toEqual(first.map(() => 200))
    expect((await get(listener.name)).status).toBe(200)
  })

  test("a body over 1 KiB gets 413", async () => {
    await using listener = await admin("127.0.0.1:0")
    open(listener)
    expect((await get(listener.name, { method: "POST", body: "x".repeat(1024) })).status).toBe(405)
    expect((await get(listener.name, { method: "POST", body: "x".repeat(1025) })).status).toBe(413)
  })

  test("a port in use is an error", async () => {
    await using listener = await admin("127.0.0.1:0")
    await expect(admin(new URL(listener.name).host)).rejects.toThrow(/EADDRINUSE|in use/)
  })
})
