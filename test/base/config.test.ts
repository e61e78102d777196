import { describe, expect, test } from "bun:test"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import {
  ConfigError,
  commentedFile,
  originOf,
  resolveConfig,
  SECRET_NAMES,
  type SettingName,
} from "../../src/base/config.ts"
import { settings } from "../../src/base/settings.ts"
import { readConfigFile } from "../../src/cli/config/config-file.ts"
import { commaList } from "../../src/core/text/comma-list.ts"
import { freshDirectory } from "../fixtures/directories.ts"
import { codeOf, importsOf, sourceFiles } from "../fixtures/imports.ts"

const nothing = { flags: {}, environment: {}, file: null }
const faultOf = (name: SettingName, value: string): string => {
  try {
    resolveConfig({ ...nothing, flags: { [name.replaceAll("_", "-")]: value } })
    return ""
  } catch (error) {
    return error instanceof ConfigError ? error.message : String(error)
  }
}

test("every default passes its own parser, and its text is kept", () => {
  const { config, texts, origins } = resolveConfig(nothing)
  expect(Object.keys(config)).toEqual(Object.keys(settings))
  for (const name of Object.keys(settings) as SettingName[]) {
    expect(texts[name]).toBe(settings[name].default)
    expect(origins[name]).toBe("default")
  }
})

describe("a setting is the typed value of its text", () => {
  const rows: readonly [name: SettingName, text: string, value: unknown][] = [
    ["listen", "[::1]:0", { kind: "tcp", text: "[::1]:0", host: "[::1]", port: 0 }],
    ["base_url", "", null],
    ["base_url", "https://a.example", "https://a.example"],
    ["payments", "live", "live"],
    ["rpc_url", "", null],
    ["single_node_accepted_by", "", null],
    ["pay_to", "", null],
    ["pay_to", `0x${"aB".repeat(20)}`, `0x${"ab".repeat(20)}`],
    ["relayer_key_file", "", null],
    ["relayer_key_file", "keys/relayer", "keys/relayer"],
    ["eth_usd", "4000", 4000],
    ["reverted_gas_daily_wei", "20000000000000000", 20_000_000_000_000_000n],
    ["agent_id_channels", "a, b,c,d,e,f", { text: "a, b,c,d,e,f", slugs: ["a", "b", "c", "d", "e", "f"] }],
    ["acp_jobs", "on", true],
    ["acp_implementations", "", []],
    ["acp_implementations", `0x${"A".repeat(40)}, 0x${"b".repeat(40)}`, [`0x${"a".repeat(40)}`, `0x${"b".repeat(40)}`]],
    ["mail_authserv_id", " mx.example ,, b", ["mx.example", "b"]],
    ["sandbox", "off", false],
    ["source_mirror", "", null],
    ["source_mirror", "http://10.0.0.1/lists", new URL("http://10.0.0.1/lists/")],
    ["source_mirror", "http://10.0.0.1/lists/", new URL("http://10.0.0.1/lists/")],
    ["sources_disabled", "", []],
    ["source_manifest_keys", "", null],
    ["source_manifest_keys", "A".repeat(43), ["A".repeat(43)]],
    ["log_level", "warn", "warn"],
    ["admin_listen", "", null],
    ["admin_listen", "LOCALHOST:1", { kind: "tcp", text: "LOCALHOST:1", host: "localhost", port: 1 }],
    ["listen", "unix:/run/a.sock", { kind: "unix", text: "unix:/run/a.sock", path: "/run/a.sock" }],
    ["access_log", "", null],
    ["access_log", "/var/log/a.log", "/var/log/a.log"],
    ["admin_listen", "unix:/run/a.sock", { kind: "unix", text: "unix:/run/a.sock", path: "/run/a.sock" }],
    ["admin_listen", "/run/a.sock", { kind: "unix", text: "/run/a.sock", path: "/run/a.sock" }],
    ["backup_dir", "", null],
    ["backup_every", "0", null],
    ["backup_every", "00", 0],
    ["backup_every", "06", 6],
    ["shutdown_seconds", "020", 20],
  ]
  test.each(rows)("%s = %j", (name, text, value) => {
    const { config, texts } = resolveConfig({ ...nothing, file: { [name]: text } })
    expect(config[name]).toEqual(value as never)
    expect(texts[name]).toBe(text)
  })

  test("the proxies match their addresses and networks", () => {
    const { trusted_proxies: proxies } = resolveConfig({
      ...nothing,
      file: { trusted_proxies: "10.0.0.0/8, ::1" },
    }).config
    expect([proxies.isEmpty, proxies.text]).toEqual([false, "10.0.0.0/8, ::1"])
    expect(["10.1.2.3", "::1", "11.0.0.1"].map((address) => proxies.has(address))).toEqual([true, true, false])
    expect(resolveConfig(nothing).config.trusted_proxies).toMatchObject({ isEmpty: true, text: "" })
  })
})

test("nothing parses a setting again", () => {
  const files = sourceFiles("src")
  const importersOf = (path: string) => files.filter((file) => importsOf(file).some(({ to }) => to === path))
  // The flags of commands are lists too.
  expect(importersOf("src/core/text/comma-list.ts")).toEqual(["src/base/setting-kinds.ts", "src/cli/command.ts"])
  expect(importersOf("src/base/setting-kinds.ts").filter((file) => !file.startsWith("src/base/"))).toEqual([
    "src/jobs/job-settings.ts",
    "src/payments/payment-settings.ts",
  ])
  const again = /\b(Number|BigInt|parseInt|parseFloat)\(\s*(service\.)?config\.|config\.\w+\.(split|trim|toLowerCase)\(/
  expect(files.filter((file) => again.test(codeOf(file)))).toEqual([])
  const readers = importersOf("src/base/secret-file.ts")
  expect(readers).toContain("src/base/secret-setting.ts")
  expect(readers.filter((file) => SECRET_NAMES.some((name) => codeOf(file).includes(name)))).toEqual([])
})

test("the public origin is that of the listening address where none is given", () => {
  const originWith = (file: Partial<Record<SettingName, string>>) =>
    originOf(resolveConfig({ ...nothing, file }).config)
  expect(originWith({ listen: "[::1]:80" })).toBe("http://[::1]:80")
  expect(originWith({ listen: "[::1]:80", base_url: "https://a.example" })).toBe("https://a.example")
})

describe("a value gets the same check from every place", () => {
  const rows: readonly [name: SettingName, bad: string, good: string][] = [
    ["listen", "8402", "[::1]:0"],
    ["listen", "unix:http.sock", "unix:/run/http.sock"],
    ["listen", "unix:/run/", "/run/http.sock"],
    ["access_log", "access.log", "/var/log/access.log"],
    ["access_log_max_mb", "0", "1"],
    ["base_url", "https://a.example/", "https://a.example"],
    ["base_url", "HTTPS://a.example", "http://127.0.0.1:8402"],
    ["base_url", "ftp://a.example", ""],
    ["issuer_id", "-svc", "svc:issuer-1"],
    ["payments", "yes", "test"],
    ["rpc_url", "localhost", "http://127.0.0.1:8545"],
    ["pay_to", "0x12", `0x${"a".repeat(40)}`],
    ["settle_wait_ms", "99", "100"],
    ["settle_wait_ms", "120001", "120000"],
    ["settle_wait_ms", "1e3", "1000"],
    ["shutdown_seconds", "601", "0"],
    ["log_level", "verbose", "debug"],
    ["rate_limits", "false", "off"],
    ["trusted_proxies", "10.0.0.1, 10.0.0.", "10.0.0.1, 10.1.0.0/16, ::1"],
    ["trusted_proxies", "proxy", ""],
    ["agent_id_channels", "a,b,c,d,e", "a,b,c,d,e,f"],
    ["agent_id_channels", "a,b,c,d,e,f,g", "a,b,c,d,e,f"],
    ["agent_id_channels", "a,b,c,d,e,a", "a,b,c,d,e,f"],
    ["agent_id_channels", "a,b,c,d,e,F", "a,b,c,d,e,f"],
    ["agent_id_channels", "a,b,c,d,e,f-", "a,b,c,d,e,f"],
    ["agent_id_channels", "a,b,c,d,e,/f", "a,b,c,d,e,f"],
    ["agent_id_channels", "a,b,c,d,e,fffffffffffffffffffffffffffffffffffffffff", "a,b,c,d,e,f"],
    ["agent_id_channels", "", "a,b,c,d,e,f"],
    ["acp_channel", "", "a"],
    ["acp_channel", "1a", "a1"],
    ["acp_channel", "A", "agent-commerce"],
    ["acp_channel", "a/b", "a-b"],
    ["acp_channel", "a".repeat(33), "a".repeat(32)],
  ]
  test.each(rows)("%s: %p is rejected, %p is accepted", (name, bad, good) => {
    expect(faultOf(name, bad)).toStartWith(`${name} (flag) `)
    expect(faultOf(name, good)).toBe("")
  })
})

test("all errors are reported together", () => {
  const ask = () => resolveConfig({ flags: { listen: "x" }, environment: { BIZAUTH_PAYMENTS: "x" }, file: { nope: 1 } })
  expect(ask).toThrow(/unknown key "nope"[\s\S]*listen \(flag\)[\s\S]*payments \(environment\)/)
})

test("unknown variables with our prefix are an error, and other variables are ignored", () => {
  expect(() => resolveConfig({ ...nothing, environment: { BIZAUTH_PAYTO: "x" } })).toThrow(
    /did you mean BIZAUTH_PAY_TO/,
  )
  expect(() => resolveConfig({ ...nothing, environment: { PATH: "x", BIZAUTH_DATA: "d" } })).not.toThrow()
})

test("a variable in other letters is refused instead of ignored", () => {
  for (const name of ["BIZAUTH_payments", "BIZAUTH_Payments"]) {
    for (const environment of [{ [name]: "off" }, { BIZAUTH_PAYMENTS: "off", [name]: "live" }]) {
      expect(() => resolveConfig({ ...nothing, environment })).toThrow(
        `unknown variable ${name}; did you mean BIZAUTH_PAYMENTS?`,
      )
    }
  }
})

test.each([
  ['payments = "off"\npayments = "live"\n', "payments"],
  ['payments = "off"\n"payments" = "live"\n', "payments"],
  ['payments = "off"\n[payments]\nx = 1\n', "payments"],
  ['pay_to = "0x1"\n"pay\\u005fto" = "0x2"\n', "pay_to"],
])("a key that the file gives twice is an error that names it: %j", (text, key) => {
  using fresh = freshDirectory()
  const path = join(fresh.path, "bizauth.toml")
  writeFileSync(path, text, { mode: 0o600 })
  expect(() => readConfigFile(path)).toThrow(new RegExp(`^${path} is not TOML: .*key '${key}'`))
})

test("no setting can hold a secret: a secret is given by the path of its file", () => {
  const publicKeys = ["source_manifest_keys"]
  const secret = Object.keys(settings).filter(
    (name) => /key|secret|password|token/.test(name) && !publicKeys.includes(name),
  )
  for (const name of secret) expect(name).toEndWith("_file")
  expect(Object.keys(settings).filter((name) => name.endsWith("_file"))).toEqual([...SECRET_NAMES])
})

test("the commented file is TOML without any key, and complete when uncommented", () => {
  expect(Bun.TOML.parse(commentedFile())).toEqual({})
  const uncommented = Bun.TOML.parse(commentedFile().replace(/^# ([a-z_]+ = )/gm, "$1"))
  expect(Object.keys(uncommented)).toEqual(Object.keys(settings))
})

test("a comma list drops blanks and empty parts", () => {
  expect(commaList(" a, ,b,")).toEqual(["a", "b"])
})
