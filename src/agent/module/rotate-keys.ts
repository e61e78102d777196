/** The key changes of the client: the same functions as `bizauth agent rotate` and `bizauth agent revoke`. */
import { CommandError, EXIT } from "../../base/exit.ts"
import { parseInstant } from "../../core/time.ts"
import { changeKeys } from "../change-keys.ts"
import type { WantedChange } from "../wanted-change.ts"
import type { AgentKeys, KeyRevocation, KeyRotation, SaveKeys } from "./client.d.ts"
import { ENGINE } from "./engine.ts"
import type { PaymentDeps } from "./pay.ts"
import { enrolledKey, keyFileOf } from "./signers.ts"

/** Throws CommandError: 2 not possible with these keys, 3 refused, 4 no answer. */
export async function change(
  { server, send }: PaymentDeps,
  given: AgentKeys,
  wanted: WantedChange,
  save: SaveKeys,
): Promise<AgentKeys & { agent_id: string }> {
  const { agentId } = enrolledKey(given)
  const keys = keyFileOf(given)
  if (keys.server !== server) throw new CommandError(EXIT.USAGE, `these keys are enrolled at ${keys.server}`)
  const changed = await changeKeys({
    keys,
    wanted,
    send,
    random: ENGINE.random,
    keep: (kept) => save(kept as AgentKeys),
  })
  return { ...(changed.keys as AgentKeys), agent_id: agentId }
}

export function wantedRotation(rotation: KeyRotation): WantedChange {
  requireRoles(rotation)
  const since = compromisedSince(rotation)
  if (rotation.key !== "RECOVERY") {
    return {
      kind: "ROTATE_OPERATIONAL",
      mode: rotation.signedBy === "RECOVERY" ? "RECOVERY" : "ROUTINE",
      compromiseSuspectedSince: since,
    }
  }
  if (since !== null) throw new CommandError(EXIT.USAGE, "compromisedSince is for an operational key")
  return { kind: "ROTATE_RECOVERY" }
}

export function wantedRevocation(revocation: KeyRevocation): WantedChange {
  const { what, signedBy, reason = "UNSPECIFIED" } = revocation
  requireRoles(revocation)
  const since = compromisedSince(revocation)
  if (what === "OPERATIONAL") {
    const mode = signedBy === "RECOVERY" ? "RECOVERY" : "SELF"
    return { kind: "REVOKE_OPERATIONAL", mode, reason, compromiseSuspectedSince: since }
  }
  if (what !== "IDENTITY") throw new CommandError(EXIT.USAGE, "what is OPERATIONAL or IDENTITY")
  if (since !== null) throw new CommandError(EXIT.USAGE, "compromisedSince is for a key, not for the identity")
  return { kind: "REVOKE_IDENTITY", reason }
}

/** Throws CommandError (2) for a misspelt role. It must not mean the default: another key would change. */
function requireRoles({ key, signedBy }: Pick<KeyRotation, "key" | "signedBy">): void {
  for (const [member, role] of Object.entries({ key, signedBy })) {
    if (role === undefined || role === "OPERATIONAL" || role === "RECOVERY") continue
    throw new CommandError(EXIT.USAGE, `${member} is OPERATIONAL or RECOVERY`)
  }
}

/** Only the recovery key may claim a compromise (rulings 22). */
function compromisedSince({ signedBy, compromisedSince: since }: Omit<KeyRotation, "key">): string | null {
  if (since === undefined) return null
  if (signedBy !== "RECOVERY") throw new CommandError(EXIT.USAGE, "compromisedSince needs signedBy: RECOVERY")
  if (parseInstant(since) === null) throw new CommandError(EXIT.USAGE, "compromisedSince is an RFC 3339 time")
  return since
}
