/** The settings of the admin listener: what others can reach never starts without a token. */
import { afterAll, describe, expect, test } from "bun:test"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { adminSettings } from "../../src/admin/admin-settings.ts"
import { digestOfToken } from "../../src/admin/admin-token.ts"
import { ConfigError, resolveConfig } from "../../src/base/config.ts"
import { configFaults } from "../../src/server/config-rules.ts"
import { freshDirectory } from "../fixtures/directories.ts"
import { defaults } from "../fixtures/service.ts"

const folder = freshDirectory()
afterAll(() => folder[Symbol.dispose]())

const TOKEN = "0123456789abcdefghijklmnopqrstuv"
let files = 0
function file(text: string, mode = 0o600): string {
  const path = join(folder.path, `token-${files++}`)
  writeFileSync(path, text, { mode })
  return path
}

const faultsOf = (admin_listen: string, admin_token_file = "") =>
  configFaults(defaults({ admin_listen, admin_token_file }), null)

test("the listener is off by default, and a token file alone is not read", () => {
  expect(adminSettings(defaults())).toBeNull()
  expect(adminSettings(defaults({ admin_token_file: "/nonexistent" }))).toBeNull()
})

test.each(["127.0.0.1:9402", "localhost:9402", "[::1]:9402", "/run/bizauth/admin.sock"])(
  "%s needs no token, and asks for one where it is set",
  (admin_listen) => {
    expect(adminSettings(defaults({ admin_listen }))?.tokenDigest).toBeNull()
    const admin_token_file = file(`${TOKEN}\n`)
    expect(adminSettings(defaults({ admin_listen, admin_token_file }))?.tokenDigest).toEqual(digestOfToken(TOKEN))
  },
)

test.each(["0.0.0.0:9402", "[::]:9402", "10.0.0.5:9402", "metrics.internal:9402"])("%s needs a token", (address) => {
  expect(faultsOf(address)).toEqual([expect.stringContaining("set admin_token_file")])
  expect(() => adminSettings(defaults({ admin_listen: address }))).toThrow(ConfigError)
  expect(faultsOf(address, file(TOKEN))).toEqual([])
})

describe("a token file is rejected without its text", () => {
  test.each<[what: string, path: () => string, says: string]>([
    ["that is missing", () => join(folder.path, "none"), "is missing"],
    ["that others can read", () => file(TOKEN, 0o640), "open to other users"],
    ["of 31 characters", () => file(TOKEN.slice(1)), "32 to 200 visible ASCII characters"],
    ["of 201 characters", () => file("x".repeat(201)), "32 to 200 visible ASCII characters"],
    ["of two lines", () => file(`${TOKEN}\n${TOKEN}`), "32 to 200 visible ASCII characters"],
    ["with a character beyond ASCII", () => file(`${TOKEN}ü`), "32 to 200 visible ASCII characters"],
  ])("%s", (_, path, says) => {
    const [fault = "", ...others] = faultsOf("127.0.0.1:9402", path())
    expect(others).toEqual([])
    expect(fault).toStartWith("admin_token_file: ")
    expect(fault).toContain(says)
    expect(fault).not.toContain(TOKEN.slice(1))
  })
})

test("the address of the public listener is no address for the admin listener", () => {
  expect(configFaults(defaults({ admin_listen: "127.0.0.1:8402" }), null)).toEqual([
    "admin_listen and listen are both 127.0.0.1:8402: take another port",
  ])
  expect(configFaults(defaults({ listen: "127.0.0.1:0", admin_listen: "127.0.0.1:0" }), null)).toEqual([])
})

test("a path that is too long for a socket is a fault", () => {
  expect(faultsOf(`/${"a".repeat(120)}`)).toEqual([expect.stringContaining("too long for a Unix socket")])
})

test.each(["9402", "admin.sock", "127.0.0.1:70000"])("%s is no address", (value) => {
  const input = { flags: { "admin-listen": value }, environment: {}, file: null }
  expect(() => resolveConfig(input)).toThrow("admin_listen (flag) must")
})
