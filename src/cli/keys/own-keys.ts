/** Shared by the commands that replace a key of the service: the issuer's name, the recovery key, and the meaning of each refusal. */

import { CommandError, EXIT } from "../../base/exit.ts"
import { realMachine } from "../../base/machine.ts"
import { SecretFileError } from "../../base/secret-file.ts"
import type { DataPaths } from "../../data/data-paths.ts"
import { type HeldKey, readPrivateKey } from "../../keys/key-file.ts"
import type { OwnDeps } from "../../keys/own-identity.ts"
import { type Authority, type RotationOutcome, replaceOwnKey } from "../../keys/own-rotation.ts"
import type { Store } from "../../store/engine/unit.ts"
import type { KeyUse } from "../../store/identity/service-keys.ts"
import type { Flag, Input } from "../command.ts"
import { asConfigRefusal, CONFIG_FLAGS, readSettings } from "../inputs.ts"

/** Events and receipts name the issuer. No other setting is used. */
export const ISSUER_FLAGS: Readonly<Record<string, Flag>> = Object.fromEntries(
  Object.entries(CONFIG_FLAGS).filter(([name]) => name === "config" || name === "issuer-id"),
)

export const RECOVERY_FLAG = {
  "recovery-key": { help: "path of the recovery key file of the identity", value: "FILE" },
} as const satisfies Record<string, Flag>

export function ownDeps(input: Input, store: Store, { keys }: DataPaths): OwnDeps {
  return { store, keysDirectory: keys, issuerId: readSettings(input).config.issuer_id, machine: realMachine }
}

/** Exits with 7 if the file cannot be used. */
export function recoveryKeyAt(path: string): HeldKey {
  try {
    return readPrivateKey(path)
  } catch (error) {
    if (!(error instanceof SecretFileError)) throw error
    throw new CommandError(
      EXIT.DATA,
      `${error.message}. The recovery key is needed: bring it back from its offline place, or name its file with --recovery-key`,
    )
  }
}

type Replaced = Extract<RotationOutcome, { kind: "REPLACED" }>

/** Replaces the key, or exits the command without any change. */
export async function replaceKey(deps: OwnDeps, use: KeyUse, authority: Authority): Promise<Replaced> {
  const outcome = await replaceOwnKey(deps, use, authority).catch((error: unknown) => {
    throw error instanceof SecretFileError ? new CommandError(EXIT.DATA, error.message) : asConfigRefusal(error)
  })
  switch (outcome.kind) {
    case "REPLACED":
      return outcome
    case "NEXT_KEY_MISSING":
      throw new CommandError(
        EXIT.DATA,
        `${outcome.path} is missing: a routine rotation may introduce only the key promised before. Restore it from your backup, or rotate with --recovery-key FILE`,
      )
    case "OTHER_RECOVERY_KEY":
      throw new CommandError(
        EXIT.DATA,
        `that is not the recovery key of the ${use} identity, which is ${outcome.expected}`,
      )
    case "CHANGED_MEANWHILE":
      throw new CommandError(EXIT.DATA, `another command changed the ${use} key meanwhile; run this one again`)
    case "REFUSED":
      throw new CommandError(
        EXIT.DATA,
        outcome.fault === "ACCEPTED_BEFORE_HEAD"
          ? "this machine's clock is behind the time of the last key event; set it right"
          : `the identity does not allow it (${outcome.fault})`,
      )
  }
}
