import { CommandError, EXIT } from "../../base/exit.ts"
import { realMachine } from "../../base/machine.ts"
import { formatInstant, instant, parseInstant } from "../../core/time.ts"
import type { DataDirectory } from "../../data/data-directory.ts"
import { keyFilePath } from "../../keys/key-file.ts"
import { nextKeys } from "../../keys/key-places.ts"
import { keptRecoveryKey } from "../../keys/own-rotation.ts"
import { findServiceKey, type KeyUse, revokeKey, type ServiceKey } from "../../store/identity/service-keys.ts"
import { type Command, DATA_FLAG, type Input } from "../command.ts"
import { asConfigRefusal, openData } from "../inputs.ts"
import { ISSUER_FLAGS, ownDeps, RECOVERY_FLAG, recoveryKeyAt, replaceKey } from "./own-keys.ts"

export const command: Command = {
  name: "keys revoke",
  summary: "declare a key compromised; an ACTIVE one is replaced in the same step, which needs its recovery key",
  operands: "KID",
  flags: {
    ...DATA_FLAG,
    since: { help: "instant of the compromise, RFC 3339 (default now)", value: "TIME" },
    ...RECOVERY_FLAG,
    ...ISSUER_FLAGS,
  },
  examples: ["keys revoke ed25519-kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4k --data ./data"],
  async run(input) {
    const data = await openData(input, { forRecovery: true })
    try {
      const key = await revocable(input, data)
      const since = sinceOf(input, key)
      const { json, text } =
        key.status === "ACTIVE" ? await replace(input, data, key, since) : await revoke(data, key, since)
      input.result({ use: key.use, revoked: key.keyId, since, ...json }, text + AFTERWARDS[key.use])
      return EXIT.DONE
    } finally {
      await data.store.close()
    }
  },
}

const AFTERWARDS: Readonly<Record<KeyUse, string>> = {
  statement: "From now on its signatures count only with proof that they were logged before that instant.\n",
  log: "Everyone who pinned it must pin the new one: bizauth keys export --use log. The log and its history stay the same.\n",
  sandbox: "Everyone who pinned it must pin the new one.\n",
}

async function revocable(input: Input, { store }: DataDirectory): Promise<ServiceKey> {
  const keyId = input.operands[0] ?? ""
  const key = await store.read(() => findServiceKey(keyId))
  if (!key) throw new CommandError(EXIT.NOT_FOUND, `no key ${keyId}; see bizauth keys list`)
  if (key.status === "REVOKED") throw new CommandError(EXIT.INVALID, `${keyId} is revoked since ${key.revokedSince}`)
  return key
}

/** What the command prints. */
interface Revoked {
  readonly json: Readonly<Record<string, string>>
  readonly text: string
}

/** Uses one event with the recovery key, because a person who has the revoked key could also sign a routine rotation. */
async function replace(
  input: Input,
  { store, paths }: DataDirectory,
  key: ServiceKey,
  since: string,
): Promise<Revoked> {
  const own = ownDeps(input, store, paths)
  const file = input.text("recovery-key") ?? (await keptRecoveryKey(own, key.use).catch(throwConfigRefusal))
  const authority = {
    mode: "RECOVERY",
    recoveryKey: recoveryKeyAt(file),
    revokes: { keyId: key.keyId, since },
  } as const
  const { before, active, nextKeyId } = await replaceKey(own, key.use, authority)
  const next = keyFilePath(nextKeys(paths.keys), nextKeyId)
  const text = `REVOKED  ${before.keyId} since ${since}
ACTIVE   ${active.keyId}
created  ${next}
         the key the next rotation will introduce. Back it up; take the recovery key offline again.
`
  return { json: { active: active.keyId, next_key_file: next }, text }
}

function throwConfigRefusal(error: unknown): never {
  throw asConfigRefusal(error)
}

/** CHOICE: a key that no longer signs is revoked in the key set only, because a key event can only revoke an active key. */
async function revoke({ store }: DataDirectory, { keyId }: ServiceKey, since: string): Promise<Revoked> {
  const outcome = await store.run(() => revokeKey(keyId, since), "log")
  if (outcome !== "REVOKED") {
    throw new CommandError(EXIT.DATA, `another command changed ${keyId} meanwhile (${outcome}); run this one again`)
  }
  return { json: {}, text: `REVOKED  ${keyId} since ${since}\n` }
}

function sinceOf(input: Input, key: ServiceKey): string {
  const now = realMachine.now()
  const given = input.text("since")
  if (given === undefined) return formatInstant(now)
  const at = parseInstant(given)
  if (at === null) throw new CommandError(EXIT.USAGE, "--since must be an RFC 3339 date-time")
  if (at < instant(key.createdAt) || at > now) {
    throw new CommandError(EXIT.USAGE, `--since must lie between ${key.createdAt} and now`)
  }
  return formatInstant(at)
}
