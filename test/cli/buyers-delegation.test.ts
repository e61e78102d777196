/** A delegation from the command line to the running service. */

import { afterEach, beforeEach, expect, test } from "bun:test"
import { join } from "node:path"
import { createKeyFile } from "../../src/agent/key-file.ts"
import { generateKeyFile } from "../../src/agent/keys.ts"
import { CommandError, EXIT } from "../../src/base/exit.ts"
import { createLog } from "../../src/base/log.ts"
import { realMachine } from "../../src/base/machine.ts"
import { command as delegate, runDelegate } from "../../src/cli/agent/delegate.ts"
import { command as add } from "../../src/cli/buyers/add.ts"
import { command as keygen } from "../../src/cli/buyers/keygen.ts"
import { command as revokeKey } from "../../src/cli/buyers/revoke-key.ts"
import { type Command, readInput } from "../../src/cli/command.ts"
import { digestOf } from "../../src/core/digest.ts"
import { keyIdOf } from "../../src/core/jwk.ts"
import { DAY, formatInstant } from "../../src/core/time.ts"
import type { DataDirectory } from "../../src/data/data-directory.ts"
import { RateLimiter } from "../../src/http/rate-limit.ts"
import { router } from "../../src/http/router.ts"
import { buyerOnboarding } from "../../src/products/us/buyer-onboarding/routes.ts"
import { findDelegations } from "../../src/store/buyers/delegations.ts"
import { AGENT_ID, enterAgent, testKey } from "../fixtures/buyers.ts"
import { databaseOf } from "../fixtures/database-of.ts"
import { type OpenedData, openedData } from "../fixtures/opened-data.ts"
import { besideOf } from "../fixtures/test-database.ts"

const SERVER = "http://localhost"
const ORGANIZATION = "org:example:acme"
const DIGEST = digestOf("acme")
let fresh: OpenedData["fresh"]
let data: string
let running: DataDirectory
let printed: string

beforeEach(async () => {
  ;({ fresh, data, running } = await openedData())
  printed = ""
})
afterEach(async () => {
  await running.store.close()
  fresh[Symbol.dispose]()
})

const terminal = {
  out: (text: string) => {
    printed += text
  },
  err: () => undefined,
  environment: {},
}

/** Exit code of a command, and its message when it refused. */
async function run(command: Command, ...args: string[]): Promise<{ exit: number; message: string }> {
  try {
    return { exit: await command.run(readInput(command, args, terminal)), message: "" }
  } catch (error) {
    if (!(error instanceof CommandError)) throw error
    return { exit: error.exit, message: error.message }
  }
}

async function makeMandateKey(name: string): Promise<{ path: string; keyId: string }> {
  const path = join(fresh.path, name)
  printed = ""
  await run(keygen, "--out", path, "--json")
  return { path, keyId: JSON.parse(printed).key_id }
}

function addArguments(keyFiles: string, changes: Record<string, string> = {}): string[] {
  const flags: Record<string, string> = {
    data,
    organization: ORGANIZATION,
    "legal-name": "Acme Example Inc.",
    digest: DIGEST,
    "verification-method": "IN_PERSON",
    "verification-reference": "case-1",
    "verified-at": formatInstant(realMachine.now() - DAY),
    "valid-until": formatInstant(realMachine.now() + 30 * DAY),
    "verified-by": "operator-1",
    "mandate-key": keyFiles,
    ...changes,
  }
  return Object.entries(flags).flatMap(([name, value]) => [`--${name}`, value])
}

test("the running service records a delegation signed on the command line, and revoking a lost key ends it", async () => {
  const { path, keyId } = await makeMandateKey("org.key")
  await run(add, ...addArguments(`${path}.pub`))
  const agentFile = join(fresh.path, "agent.json")
  const keys = generateKeyFile(realMachine.random)
  createKeyFile(agentFile, { ...keys, agent_id: AGENT_ID })
  const agentKeyId = keyIdOf(keys.operational.x)
  await enterAgent(besideOf(databaseOf(running)), realMachine.now(), {
    ...testKey(AGENT_ID, 9),
    x: keys.operational.x,
    keyId: agentKeyId,
  })
  const log = createLog("error", () => undefined, realMachine.now)
  const shell = {
    machine: realMachine,
    log,
    limiter: new RateLimiter(realMachine),
    trustedProxies: new Set<string>(),
    baseUrl: () => "http://localhost",
    network: "eip155:8453",
  }
  const { store } = running
  const signer = testKey("svc", 200)
  const routes = buyerOnboarding({ shell, store, machine: realMachine, signer: () => signer, baseUrl: () => SERVER })
  const app = router(shell, routes)
  const flags = {
    "organization-key": path,
    keys: agentFile,
    server: SERVER,
    organization: ORGANIZATION,
    "organization-digest": DIGEST,
    "max-payment": "1000.00",
  }
  const delegated = (changes: Record<string, string> = {}) => {
    const args = Object.entries({ ...flags, ...changes }).flatMap(([name, value]) => [`--${name}`, value])
    const input = readInput(delegate, [...args, "--json"], terminal)
    printed = ""
    return runDelegate(input, async (request) => app.handle(request), realMachine)
  }
  expect(await delegated()).toBe(EXIT.DONE)
  const { delegation_id: delegationId, answer } = JSON.parse(printed)
  expect(answer.payload.delegation).toMatchObject({ scope: ["SIGN_REQUEST"], max_total_amount: null, currency: "USD" })
  const found = () => store.read(() => findDelegations(ORGANIZATION, AGENT_ID, agentKeyId))
  expect(await found()).toMatchObject([{ delegationId, signerState: "ACTIVE", signedByKeyId: keyId }])

  const rows: readonly [changes: Record<string, string>, says: RegExp][] = [
    [{ "organization-digest": digestOf("other") }, /DELEGATION_REFUSED/],
    [{ scope: "SIGN_MANDATE" }, /KEY_ROLES_CONFLICT/],
    [{ "max-payment": "1e3" }, /max_payment_amount/],
    [{ days: "401" }, /--days/],
  ]
  for (const [changes, says] of rows) await expect(delegated(changes)).rejects.toThrow(says)
  expect(await found()).toHaveLength(1)

  await run(
    revokeKey,
    "--data",
    data,
    "--since",
    formatInstant(realMachine.now()),
    "--reason",
    "lost",
    ORGANIZATION,
    keyId,
  )
  expect(await found()).toMatchObject([{ delegationId, signerState: "REVOKED" }])
  await expect(delegated()).rejects.toThrow(/DELEGATION_REFUSED/)
})
