/** Whether other users of the machine may read or change the files of the service. */
import { expect, test } from "bun:test"
import { chmodSync, statSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { initialised, run, serve } from "../../fixtures/binary.ts"
import { freshDirectory } from "../../fixtures/directories.ts"

const modeOf = (path: string) => (statSync(path).mode & 0o777).toString(8)

const READABLE: readonly [path: string, mode: number, mended: string][] = [
  ["", 0o755, "700"],
  ["", 0o750, "700"],
  ["", 0o701, "700"],
  ["keys", 0o755, "700"],
  ["snapshots", 0o755, "700"],
  ["bizauth.db", 0o644, "600"],
  ["bizauth.db", 0o640, "600"],
  ["bizauth.db-wal", 0o644, "600"],
  ["bizauth.db.before-0002", 0o644, "600"],
]

test.each(READABLE)(
  "a path that other users may only read is closed with a note: %p with mode %o",
  async (name, mode, mended) => {
    using fresh = freshDirectory()
    const data = await initialised(fresh.path)
    const path = name === "" ? data : join(data, name)
    if (name.startsWith("bizauth.db") && name !== "bizauth.db") writeFileSync(path, "")
    chmodSync(path, mode)
    const { exit, err } = await run(["keys", "list", "--data", data])
    const [was, is] = [mode.toString(8).padStart(4, "0"), mended.padStart(4, "0")]
    expect([exit, err]).toEqual([
      0,
      `note: ${path} was open to other users (mode ${was}) and has been closed (mode ${is})\n`,
    ])
    if (!name.endsWith("-wal")) expect(modeOf(path)).toBe(mended)
    expect((await run(["keys", "list", "--data", data])).err).toBe("")
  },
)

test("serve closes the data directory to other users and logs it", async () => {
  using fresh = freshDirectory()
  const data = await initialised(fresh.path)
  chmodSync(data, 0o755)
  await using server = await serve(data)
  await server.logged('"event":"started"')
  expect(server.err()).toContain(`"event":"data_directory","notice":"${data} was open to other users (mode 0755)`)
  expect(modeOf(data)).toBe("700")
})

const CHANGEABLE: readonly [path: string, mode: number, chmod: string][] = [
  ["", 0o777, "chmod 700"],
  ["", 0o770, "chmod 700"],
  ["keys", 0o720, "chmod 700"],
  ["bizauth.db", 0o666, "chmod 600"],
  ["bizauth.db", 0o620, "chmod 600"],
  ["bizauth.db-wal", 0o602, "chmod 600"],
]

test.each(CHANGEABLE)(
  "a path that other users may change is rejected with exit 7 and left unchanged: %p with mode %o",
  async (name, mode, chmod) => {
    using fresh = freshDirectory()
    const data = await initialised(fresh.path)
    const path = name === "" ? data : join(data, name)
    if (name.endsWith("-wal")) writeFileSync(path, "")
    chmodSync(path, mode)
    for (const args of [
      ["keys", "list"],
      ["serve", "--listen", "127.0.0.1:0"],
    ]) {
      const { exit, err } = await run([...args, "--data", data])
      const shown = mode.toString(8).padStart(4, "0")
      expect(exit).toBe(7)
      expect(err).toMatch(/^bizauth: [^\n]+\n$/)
      expect(err).toContain(`${path} can be changed by other users (mode ${shown})`)
      expect(err).toContain(`${chmod} ${path}`)
    }
    expect(modeOf(path)).toBe(mode.toString(8))
  },
)

const KEYED = 'rpc_url = "https://node.example/v2/customer-key"\n'
const PLAIN = 'rpc_url = "https://node.example/"\n'
const CONFIGS: readonly [what: string, text: string, mode: number, refused: RegExp | null][] = [
  ["writable by others", PLAIN, 0o602, /can be changed by other users \(mode 0602\).*chmod go-w /],
  ["writable by its group", PLAIN, 0o660, /can be changed by other users \(mode 0660\).*chmod go-w /],
  [
    "readable by others, with a key in the address of the node",
    KEYED,
    0o644,
    /rpc_url may hold a key.*\(mode 0644\).*chmod o-r /,
  ],
  [
    "readable by others, with a password",
    'rpc_url_second = "https://a:b@node.example/"\n',
    0o604,
    /rpc_url_second may hold a key/,
  ],
  ["readable by others, with a query", 'rpc_url = "https://node.example/?key=1"\n', 0o604, /rpc_url may hold a key/],
  ["readable by its group, with a key", KEYED, 0o640, null],
  ["readable by others, without a key", PLAIN, 0o644, null],
]

test.each(CONFIGS)("a configuration file %s", async (_what, text, mode, refused) => {
  using fresh = freshDirectory()
  const path = join(fresh.path, "service.toml")
  writeFileSync(path, text)
  chmodSync(path, mode)
  const { exit, err } = await run(["config", "check", "--config", path])
  expect(exit).toBe(refused === null ? 0 : 6)
  if (refused === null) return
  expect(err).toMatch(refused)
  expect(err).not.toContain("customer-key")
  expect(err).not.toContain("a:b")
})
