import { expect, test } from "bun:test"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { ConfigError, type SettingName } from "../../src/base/config.ts"
import { BASE } from "../../src/payments/networks/base.ts"
import { paymentSettings } from "../../src/payments/payment-settings.ts"
import { DEV_ACCOUNTS, DEV_KEYS } from "../fixtures/chain.ts"
import { freshDirectory } from "../fixtures/directories.ts"
import { defaults } from "../fixtures/service.ts"

type Given = Partial<Record<SettingName, string>>

const fresh = freshDirectory()

function keyFile(text: string): string {
  const path = join(fresh.path, "relayer.key")
  writeFileSync(path, text, { mode: 0o600 })
  return path
}

const complete = (): Given => ({
  payments: "test",
  rpc_url: "http://127.0.0.1:1",
  pay_to: DEV_ACCOUNTS.payTo.address,
  relayer_key_file: keyFile(DEV_KEYS[1]),
})

const read = (given: Given) => paymentSettings(defaults(given), BASE)

function faultsOf(given: Given): string {
  try {
    read(given)
    return ""
  } catch (error) {
    if (error instanceof ConfigError) return error.message
    throw error
  }
}

test("payments are off by default", () => expect(read({})).toBeNull())

test("complete settings are read, with the settler that they name", () => {
  expect(read(complete())).toMatchObject({ mode: "test", settler: { kind: "self", relayerKey: DEV_KEYS[1] } })
  const facilitator_url = "http://127.0.0.1:2"
  expect(read({ ...complete(), settler: "http", facilitator_url })).toMatchObject({
    settler: { kind: "http", facilitatorUrl: facilitator_url },
  })
})

test("a payee equal to the relayer needs its address, so the settings accept it", () =>
  expect(faultsOf({ ...complete(), pay_to: DEV_ACCOUNTS.relayer.address })).toBe(""))

test("all missing settings are named together", () => {
  expect(faultsOf({ payments: "test" })).toBe(
    "rpc_url is needed\npay_to is needed\nrelayer_key_file is needed with settler = self",
  )
})

test.each([["0x1234"], [`0x${"0".repeat(64)}`], [`0x${"f".repeat(64)}`]])(
  "%s is no relayer key, and its fault does not show it",
  (key) => {
    const said = faultsOf({ ...complete(), relayer_key_file: keyFile(key) })
    expect(said).toContain("relayer_key_file")
    expect(said).not.toContain(key)
  },
)

test.each([
  ["a hosted settler without a URL", { settler: "http" }, "facilitator_url"],
  ["a hosted settler over plain http elsewhere", { settler: "http", facilitator_url: "http://x.example" }, "https"],
  ["a test on a remote node", { rpc_url: "https://192.0.2.1" }, "loopback"],
  ["a live node over plain http", { payments: "live", rpc_url: "http://192.0.2.1" }, "https"],
] as [string, Given, string][])("%s is rejected", (_, changes, expected) => {
  expect(faultsOf({ ...complete(), ...changes })).toContain(expected)
})
