/** The folder in which the examples are typed: what a person has before the first one. */
import { mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { companyCheckDraft, draftFor } from "../../../scripts/demo/drafts.ts"
import { realMachine } from "../../../src/base/machine.ts"
import { command as buyersKeygen } from "../../../src/cli/buyers/keygen.ts"
import { sha256 } from "../../../src/core/sha256.ts"
import { formatInstant, HOUR } from "../../../src/core/time.ts"
import { openDataDirectory } from "../../../src/data/data-directory.ts"
import { sumsText } from "../../../src/release/sums.ts"
import { recordJob } from "../../../src/store/jobs/jobs.ts"
import { deliverableVector } from "../../fixtures/acp-vectors/deliverables.ts"
import { type Chain, DEV_ACCOUNTS, DEV_KEYS } from "../../fixtures/chain.ts"
import { issuerJwks } from "../../fixtures/decision.ts"
import { writeSampleLists } from "../../fixtures/sample-lists.ts"
import { writeSampleRegister } from "../../fixtures/sample-uk-register.ts"
import { runCommand } from "../../fixtures/terminal.ts"

export const ORGANIZATION = {
  organizationId: "org:example",
  organizationDigest: "sha256:0f5b3a8bd4a6c1c0fe2b1f0a7bb1a3bb7fd0a1f4c26f5c1f9c1c1c9f0c0a7d11",
  payer: DEV_ACCOUNTS.payer.address,
}

export async function fillExampleFolder(folder: string): Promise<void> {
  const now = Date.now()
  const write = (name: string, value: unknown) =>
    writeFileSync(join(folder, name), typeof value === "string" ? value : JSON.stringify(value), { mode: 0o600 })
  // One entry fewer than the publisher has now, so that a fetch brings a second snapshot.
  writeSampleLists(join(folder, "lists"), { publishedAt: now - HOUR, withoutSdn: [90005] })
  writeSampleRegister(join(folder, "lists", "UK_COMPANIES_HOUSE"), now)
  write("draft.json", draftFor(ORGANIZATION, { obligation: "INV-1" }))
  write("check.json", companyCheckDraft(now))
  write("invoice.json", { number: "INV-1", amount: "12500.00" })
  write("labelled.csv", "id,name,type,country,expected,class\n1,Harbor Light Instruments LLC,org,US,CLEAR,firms\n")
  write("names.csv", "id,name,type,country\n1,Harbor Light Instruments LLC,org,US\n")
  write("passphrase", "a passphrase of many words\n")
  write("wallet.key", DEV_KEYS[3])
  write("relayer.key", DEV_KEYS[1])
  await runCommand(buyersKeygen, ["--out", join(folder, "new-org.key")])
  const [archive, content] = ["bizauth-1.0.0-linux-x64.tar.gz", "what a publisher packed"]
  const digest = Buffer.from(sha256(Buffer.from(content))).toString("hex")
  mkdirSync(join(folder, "release"))
  write(join("release", archive), content)
  write(join("release", "SHA256SUMS"), sumsText(new Map([[archive, digest]])))
  const { text, final, job } = deliverableVector(0)
  mkdirSync(join(folder, "job"))
  const files = { "deliverable.json": text, "final.json": final, "job.json": job, "issuer.jwks.json": issuerJwks() }
  for (const [name, value] of Object.entries(files)) write(join("job", name), value)
}

/** A job that the service has seen on the chain. */
export async function enterJob(data: string): Promise<void> {
  const { store } = await openDataDirectory(data, { machine: realMachine, migrate: false, onFatal: () => {} })
  const address = (byte: string) => `0x${byte.repeat(20)}`
  await store.run(() =>
    recordJob({
      id: `job_${"0".repeat(22)}`,
      chainId: 8453,
      contract: address("e5"),
      jobId: "7",
      client: address("c1"),
      provider: address("b2"),
      evaluator: address("00"),
      hook: address("00"),
      expiredAt: 1_800_000_000,
      createdBlock: "5",
      at: formatInstant(Date.now()),
    }),
  )
  await store.close()
}

/** The settings, as variables, so that the lines are typed as they are printed. */
export function exampleSettings(chain: Chain, mirror: string): Readonly<Record<string, string>> {
  return {
    BIZAUTH_LISTEN: "127.0.0.1:0",
    BIZAUTH_SOURCE_MIRROR: mirror,
    BIZAUTH_PAYMENTS: "test",
    BIZAUTH_RPC_URL: chain.url,
    BIZAUTH_PAY_TO: DEV_ACCOUNTS.payTo.address,
    BIZAUTH_RELAYER_KEY_FILE: "./relayer.key",
    BIZAUTH_AGENT_MODE_PLANNING: "on",
    BIZAUTH_INTENT_BEACON: "on",
    BIZAUTH_RATE_LIMITS: "off",
  }
}
