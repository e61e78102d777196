import { EXIT } from "../../base/exit.ts"
import { canonicalize } from "../../core/canonical-json.ts"
import { fingerprint } from "../../keys/fingerprint.ts"
import type { Unit } from "../../store/engine/unit.ts"
import { serviceIdentities } from "../../store/identity/service-identities.ts"
import { KEY_USES, listServiceKeys, type ServiceKey } from "../../store/identity/service-keys.ts"
import { type Command, DATA_FLAG, type Input, JSON_FLAG } from "../command.ts"
import { openData } from "../inputs.ts"
import { keyUseOf, USE_FLAG } from "./key-use.ts"

interface ListedKey extends ServiceKey {
  /** Null in a data directory that no `serve` of this release has opened yet. */
  readonly agentId: string | null
}

export const command: Command = {
  name: "keys list",
  summary: "list the service's keys with use, Agent ID, status, fingerprint and validity",
  operands: "",
  flags: { ...DATA_FLAG, ...USE_FLAG, ...JSON_FLAG },
  examples: ["keys list --data ./data"],
  async run(input) {
    const use = keyUseOf(input)
    const { store } = await openData(input)
    const keys = await store.read(() => listedKeys(use === null ? KEY_USES : [use]))
    await store.close()
    if (input.on("json")) input.out(`${canonicalize({ version: 1, keys: keys.map(asJson) })}\n`)
    else print(input, keys)
    return EXIT.DONE
  },
}

function* listedKeys(uses: readonly ServiceKey["use"][]): Unit<ListedKey[]> {
  const identities = yield* serviceIdentities()
  const listed: ListedKey[] = []
  for (const use of uses) {
    const agentId = identities.find((identity) => identity.use === use)?.agentId ?? null
    listed.push(...(yield* listServiceKeys(use)).map((key) => ({ ...key, agentId })))
  }
  return listed
}

function asJson(key: ListedKey) {
  return {
    kid: key.keyId,
    use: key.use,
    agent_id: key.agentId,
    status: key.status,
    created_at: key.createdAt,
    expires_at: key.expiresAt,
    revoked_since: key.revokedSince,
    fingerprint: fingerprint(key.x),
  }
}

function print(input: Input, keys: readonly ListedKey[]): void {
  for (const use of new Set(keys.map((key) => key.use))) {
    const ofUse = keys.filter((key) => key.use === use)
    input.out(`${use}  ${ofUse[0]?.agentId ?? "not enrolled yet: the next bizauth serve does it"}\n`)
    for (const key of ofUse) {
      const until = key.revokedSince ? `since ${key.revokedSince}` : `expires ${key.expiresAt}`
      input.out(`  ${key.keyId}  ${key.status.padEnd(7)}  created ${key.createdAt}  ${until}\n`)
      input.out(`    SHA-256 ${fingerprint(key.x)}\n`)
    }
  }
}
