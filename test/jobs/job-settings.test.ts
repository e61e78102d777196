/** The settings of the job rail: complete, or refused with every fault at once. */
import { describe, expect, test } from "bun:test"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { ACP_ESCROW_CONTRACT } from "../../schemas/acp/terms.ts"
import { type Config, ConfigError, resolveConfig } from "../../src/base/config.ts"
import { settings } from "../../src/base/settings.ts"
import { jobSettings } from "../../src/jobs/job-settings.ts"
import { freshDirectory } from "../fixtures/directories.ts"

const IMPLEMENTATION = `0x${"Ab".repeat(20)}`

function configOf(flags: Readonly<Record<string, string>>): Config {
  return resolveConfig({ flags, environment: {}, file: null }).config
}

function faultsOf(flags: Readonly<Record<string, string>>): string {
  try {
    jobSettings(configOf(flags))
    return ""
  } catch (error) {
    if (error instanceof ConfigError) return error.message
    throw error
  }
}

describe("the settings of jobs", () => {
  test("jobs are off by default, and the contract is that of the requirement", () => {
    expect(jobSettings(configOf({}))).toBeNull()
    expect(settings.acp_contract.default).toBe(ACP_ESCROW_CONTRACT)
  })

  test("with nothing else set, every missing setting is named", () => {
    const told = faultsOf({ "acp-jobs": "on" })
    for (const name of ["payments", "acp_provider_key_file", "acp_offering_id", "acp_implementations"]) {
      expect(told).toContain(name)
    }
  })

  test("a complete set is read: addresses in lower case, the key from its file", () => {
    using folder = freshDirectory()
    const key = join(folder.path, "provider.key")
    writeFileSync(key, `0x${"11".repeat(32)}\n`, { mode: 0o600 })
    const flags = {
      "acp-jobs": "on",
      payments: "test",
      "acp-provider-key-file": key,
      "acp-offering-id": "o-1",
      "acp-implementations": ` ${IMPLEMENTATION}, ${IMPLEMENTATION.toLowerCase()}`,
    }
    expect(jobSettings(configOf(flags))).toMatchObject({
      contract: ACP_ESCROW_CONTRACT.toLowerCase(),
      implementations: [IMPLEMENTATION.toLowerCase(), IMPLEMENTATION.toLowerCase()],
      offeringId: "o-1",
      signIn: "eip712",
    })
    expect(faultsOf({ ...flags, "relayer-key-file": key })).toContain("two keys")
    writeFileSync(key, "secret words", { mode: 0o600 })
    const told = faultsOf(flags)
    expect(told).toContain("acp_provider_key_file")
    expect(told).not.toContain("secret words")
    expect(faultsOf({ ...flags, "acp-provider-key-file": join(folder.path, "none") })).toContain(
      "acp_provider_key_file: ",
    )
  })

  test("an address that is none, and a hub over plain http, are refused", () => {
    for (const [flag, value] of [
      ["acp-implementations", "0x12"],
      ["acp-contract", "escrow"],
      ["acp-hub-url", "http://hub.example"],
      ["acp-hub-sign-in", "basic"],
      ["acp-offering-id", "a\u0000"],
    ] as const) {
      expect(() => configOf({ [flag]: value })).toThrow(flag.replaceAll("-", "_"))
    }
  })
})
