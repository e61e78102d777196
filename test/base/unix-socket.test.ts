/** Sockets of several processes at one path: who gets the place, and what is never replaced. */
import { afterAll, expect, test } from "bun:test"
import { chownSync, existsSync, lstatSync, mkdirSync, readdirSync, symlinkSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { GROUP_SOCKET_MODE, placeSocket, socketPathFault } from "../../src/base/unix-socket.ts"
import { bound, noPlainUser } from "../fixtures/bound-by-modes.ts"
import { freshDirectory } from "../fixtures/directories.ts"

const directory = freshDirectory()
afterAll(() => directory[Symbol.dispose]())

let folders = 0
function freshPath(): string {
  const folder = join(directory.path, String(folders++))
  mkdirSync(folder)
  return join(folder, "s.sock")
}

const placed = (path: string, answer = "own") =>
  placeSocket({
    path,
    mode: GROUP_SOCKET_MODE,
    listen: (unix) => Bun.serve({ unix, fetch: () => new Response(answer) }),
    close: (server) => server.stop(true),
  })

const answerOf = async (path: string) => (await fetch("http://localhost/", { unix: path, keepalive: false })).text()

/** Leaves the socket of a process that was killed. */
async function leaveSocket(path: string): Promise<void> {
  const program = `Bun.listen({ unix: ${JSON.stringify(path)}, socket: { data() {} } }); console.log("up"); setInterval(() => {}, 1000)`
  const child = Bun.spawn([process.execPath, "-e", program], { stdout: "pipe" })
  await child.stdout.getReader().read()
  child.kill("SIGKILL")
  await child.exited
}

test("a path that is too long for a socket, or whose folder is, is a fault", () => {
  expect(socketPathFault("/run/bizauth/admin.sock")).toBeNull()
  expect(socketPathFault(`/${"a".repeat(106)}`)).toBeNull()
  expect(socketPathFault(`/${"a".repeat(107)}`)).toContain("too long")
  expect(socketPathFault(`/${"a".repeat(90)}/s`)).toBeNull()
  expect(socketPathFault(`/${"a".repeat(91)}/s`)).toContain("its folder 91")
})

test("a socket has its mode, and is removed alone", async () => {
  const path = freshPath()
  const { listening, remove } = await placed(path)
  expect(lstatSync(path).mode & 0o777).toBe(0o660)
  expect(readdirSync(join(path, ".."))).toEqual(["s.sock"])
  expect(await answerOf(path)).toBe("own")
  remove()
  expect(existsSync(path)).toBe(false)
  const next = await placed(path, "next")
  remove()
  expect(await answerOf(path)).toBe("next")
  await Promise.all([listening.stop(true), next.listening.stop(true)])
})

test("a socket on which somebody listens is never replaced, and nothing is left beside it", async () => {
  const path = freshPath()
  const { listening } = await placed(path, "first")
  await expect(placed(path, "second")).rejects.toThrow("another process listens there")
  expect(await answerOf(path)).toBe("first")
  expect(readdirSync(join(path, ".."))).toEqual(["s.sock"])
  await listening.stop(true)
})

test("the socket of a killed process is replaced, by one of many that start at once", async () => {
  const path = freshPath()
  await leaveSocket(path)
  expect(lstatSync(path).isSocket()).toBe(true)
  const all = await Promise.allSettled(Array.from({ length: 8 }, (_one, index) => placed(path, `own ${index}`)))
  const winners = all.flatMap((one, index) => (one.status === "fulfilled" ? [{ index, ...one.value }] : []))
  expect(winners).toHaveLength(1)
  expect(await answerOf(path)).toBe(`own ${winners[0]?.index}`)
  for (const { listening } of winners) await listening.stop(true)
  expect(readdirSync(join(path, ".."))).toEqual(["s.sock"])
})

test.each<[what: string, make: (path: string) => void]>([
  ["a file", (path) => writeFileSync(path, "kept")],
  ["a folder", (path) => mkdirSync(path)],
  ["a link", (path) => symlinkSync("/nonexistent", path)],
])("%s at the path is refused and stays", async (_, make) => {
  const path = freshPath()
  make(path)
  const before = lstatSync(path).ino
  await expect(placed(path)).rejects.toThrow("not a socket")
  expect([lstatSync(path).ino, readdirSync(join(path, ".."))]).toEqual([before, ["s.sock"]])
})

const NOT_RUN = noPlainUser ?? (process.getuid?.() === 0 ? null : "not root, who alone can give a socket away")
test.skipIf(NOT_RUN !== null)(
  `the socket of another user, to which this one may not connect, is refused and stays${NOT_RUN === null ? "" : ` (NOT RUN: ${NOT_RUN})`}`,
  async () => {
    const path = freshPath()
    const { listening, remove } = await placed(path)
    chownSync(path, 65_534, 65_534)
    const program = `
      const { placeSocket } = await import(${JSON.stringify(join(import.meta.dir, "../../src/base/unix-socket.ts"))})
      const place = { path: ${JSON.stringify(path)}, mode: 0o600, close: (server) => server.stop(true) }
      const listen = (unix) => Bun.serve({ unix, fetch: () => new Response("x") })
      await placeSocket({ ...place, listen }).catch((error) => console.log(error.constructor.name, error.message))`
    const child = Bun.spawnSync([...bound, process.execPath, "-e", program], { stdout: "pipe", stderr: "pipe" })
    expect([child.stdout.toString(), child.stderr.toString()]).toEqual([
      "SocketPlaceError the socket of another user is there; remove it, or take another path\n",
      "",
    ])
    expect(await answerOf(path)).toBe("own")
    remove()
    await listening.stop(true)
  },
)
