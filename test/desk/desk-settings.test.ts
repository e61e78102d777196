/** Where the desk may listen, and at which origin reviewers may open it. */
import { describe, expect, test } from "bun:test"
import { ConfigError, resolveConfig } from "../../src/base/config.ts"
import { deskOrigin, deskSettings } from "../../src/desk/desk-settings.ts"

type Texts = Readonly<Record<string, string>>

const settingsOf = (file: Texts) => deskSettings(resolveConfig({ flags: {}, environment: {}, file }).config)

function faultsOf(file: Texts): readonly string[] {
  try {
    settingsOf(file)
    return []
  } catch (error) {
    if (error instanceof ConfigError) return error.message.split("\n")
    throw error
  }
}

test("without desk_listen it is off, and desk_url alone is a mistake", () => {
  expect(settingsOf({})).toBeNull()
  expect(faultsOf({ desk_url: "https://desk.example" })).toEqual([expect.stringContaining("set desk_listen")])
})

test.each<[file: Texts, port: number, origin: string]>([
  [{ desk_listen: "127.0.0.1:8403" }, 8403, "http://bizauth-desk.localhost:8403"],
  [{ desk_listen: "127.0.0.1:0" }, 40_000, "http://bizauth-desk.localhost:40000"],
  [{ desk_listen: "[::1]:8403", desk_url: "https://desk.example" }, 8403, "https://desk.example"],
  [{ desk_listen: "unix:/run/desk.sock", desk_url: "http://review.localhost:9000" }, 0, "http://review.localhost:9000"],
])("%o is opened at its origin", (file, port, origin) => {
  const settings = settingsOf(file) ?? expect.unreachable()
  expect(deskOrigin(settings, port)).toBe(origin)
})

const LISTEN = { desk_listen: "127.0.0.1:8403" }

describe("refused, with the way out", () => {
  test.each<[file: Texts, why: string]>([
    [{ desk_listen: "0.0.0.0:8403" }, "listen on 127.0.0.1 or a Unix socket"],
    [{ desk_listen: "192.0.2.7:8403" }, "listen on 127.0.0.1 or a Unix socket"],
    [{ ...LISTEN, listen: "127.0.0.1:8403" }, "desk_listen and listen are both 127.0.0.1:8403"],
    [{ ...LISTEN, admin_listen: "127.0.0.1:8403" }, "desk_listen and admin_listen are both 127.0.0.1:8403"],
    [{ desk_listen: "unix:/run/one.sock", desk_url: "https://d.example", admin_listen: "/run/one.sock" }, "are both"],
    [{ desk_listen: `unix:/run/${"a".repeat(120)}`, desk_url: "https://d.example" }, "too long for a Unix socket"],
    [{ desk_listen: "unix:/run/desk.sock" }, "set desk_url to the origin in the browser"],
    [{ ...LISTEN, desk_url: "http://desk.example" }, "take https"],
    [{ ...LISTEN, desk_url: "https://192.0.2.7" }, "an address or localhost has no passkey"],
    [{ ...LISTEN, desk_url: "https://[2001:db8::1]" }, "an address or localhost has no passkey"],
    [{ ...LISTEN, desk_url: "https://localhost:8403" }, "an address or localhost has no passkey"],
    [{ ...LISTEN, desk_url: "https://svc.example", base_url: "https://svc.example" }, "the host of base_url"],
    [{ ...LISTEN, desk_url: "https://svc.example:8443", base_url: "https://svc.example" }, "the host of base_url"],
  ])("%o", (file, why) => {
    expect(faultsOf(file)).toEqual([expect.stringContaining(why)])
  })

  test("all at once", () => {
    expect(faultsOf({ desk_listen: "0.0.0.0:8403", desk_url: "http://192.0.2.7" })).toHaveLength(3)
  })
})
