import { CommandError, EXIT } from "../../base/exit.ts"
import { canonicalize } from "../../core/canonical-json.ts"
import { writeVerifierKey } from "../../core/checkpoint.ts"
import { sha256 } from "../../core/sha256.ts"
import { verifierKeyOf } from "../../core/sign-checkpoint.ts"
import { publishedKeys } from "../../keys/published-keys.ts"
import type { Store } from "../../store/engine/unit.ts"
import { serviceIdentities } from "../../store/identity/service-identities.ts"
import { findActiveServiceKey, type KeyUse, listServiceKeys } from "../../store/identity/service-keys.ts"
import { logOrigin } from "../../store/log/log-origin.ts"
import { type Command, DATA_FLAG, type Input } from "../command.ts"
import { openData } from "../inputs.ts"
import { keyUseOf, USE_FLAG } from "./key-use.ts"

export const command: Command = {
  name: "keys export",
  summary: "print what verifiers pin: the statement key set, the log's verifier key, or the Agent IDs of the service",
  operands: "",
  flags: {
    ...DATA_FLAG,
    ...USE_FLAG,
    "with-revoked": { help: "add REVOKED keys, for bizauth verify; other verifiers would trust them" },
    "agent-ids": { help: "the service's own Agent IDs, one a line, each after its use" },
  },
  examples: ["keys export --data ./data", "keys export --data ./data --use log"],
  async run(input) {
    const use = keyUseOf(input)
    if (use === "sandbox" && !input.on("agent-ids")) {
      throw new CommandError(EXIT.USAGE, "sandbox keys are in no published set; pin their Agent ID: --agent-ids")
    }
    if (input.on("with-revoked") && (use === "log" || input.on("agent-ids"))) {
      throw new CommandError(EXIT.USAGE, "--with-revoked goes with the statement key set only")
    }
    const { store } = await openData(input)
    try {
      if (input.on("agent-ids")) {
        const ids = await agentIds(store, use)
        input.result(
          { agent_ids: ids.map((one) => ({ use: one.use, agent_id: one.agentId })) },
          ids.map((one) => `${one.use} ${one.agentId}\n`).join(""),
        )
      } else if (use === "log") {
        const key = await verifierKey(store)
        input.result({ verifier_key: key }, `${key}\n`)
      } else input.out(`${await keySet(store, input)}\n`)
      return EXIT.DONE
    } finally {
      await store.close()
    }
  },
}

async function keySet(store: Store, input: Input): Promise<string> {
  const keys = await store.read(() => listServiceKeys("statement"))
  return canonicalize(publishedKeys(keys, { revoked: input.on("with-revoked") }))
}

async function agentIds(store: Store, of: KeyUse | null): Promise<readonly { use: KeyUse; agentId: string }[]> {
  const identities = (await store.read(serviceIdentities)).filter(({ use }) => of === null || use === of)
  if (identities.length === 0) {
    throw new CommandError(EXIT.NOT_FOUND, "the service has no Agent IDs yet; bizauth serve enrols them once")
  }
  return identities
}

/** Returns the text by which a verifier pins the log (c2sp.org/signed-note). */
async function verifierKey(store: Store): Promise<string> {
  const origin = await store.read(logOrigin)
  if (origin === null) {
    throw new CommandError(EXIT.NOT_FOUND, "the log has no name yet; the first bizauth serve gives it one")
  }
  const key = await store.read(() => findActiveServiceKey("log"))
  if (!key) throw new Error("the database has no ACTIVE log key")
  return writeVerifierKey(sha256, verifierKeyOf(origin, key.x))
}
