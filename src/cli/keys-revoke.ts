import { formatInstant, instant, parseInstant } from "../core/time.ts"
import { issueKey } from "../keys/issue-key.ts"
import { takeIntoUse } from "../keys/key-places.ts"
import { realMachine } from "../machine.ts"
import { findServiceKey, revokeKey, type ServiceKey } from "../store/service-keys.ts"
import { type Command, DATA_FLAG, type Input } from "./command.ts"
import { CommandError, EXIT } from "./exit.ts"
import { openData } from "./inputs.ts"

export const command: Command = {
  name: "keys revoke",
  summary: "declare a signing key compromised; an ACTIVE one is replaced in the same step",
  operands: "KID",
  flags: { ...DATA_FLAG, since: { help: "instant of the compromise, RFC 3339 (default now)", value: "TIME" } },
  async run(input) {
    const keyId = input.operands[0] ?? ""
    const { store, paths } = await openData(input)
    try {
      const key = await store.read(() => findServiceKey(keyId))
      if (!key) throw new CommandError(EXIT.NOT_FOUND, `no key ${keyId}; see bizauth keys list`)
      if (key.status === "REVOKED")
        throw new CommandError(EXIT.INVALID, `${keyId} is revoked since ${key.revokedSince}`)
      const since = sinceOf(input, key)
      const replacement = key.status === "ACTIVE" ? issueKey(paths.keys, key.use, realMachine) : null
      const outcome = await store.run(() => revokeKey(keyId, since, replacement))
      if (outcome !== "REVOKED") {
        throw new CommandError(EXIT.DATA, `another command changed ${keyId} meanwhile (${outcome}); run this one again`)
      }
      if (replacement) takeIntoUse(paths.keys, replacement.keyId)
      input.out(`REVOKED  ${keyId} since ${since}\n${replacement ? `ACTIVE   ${replacement.keyId}\n` : ""}`)
      input.out("What it signed counts from now on only with proof that it was logged before that instant.\n")
      return EXIT.DONE
    } finally {
      await store.close()
    }
  },
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
