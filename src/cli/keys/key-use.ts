import { CommandError, EXIT } from "../../base/exit.ts"
import { KEY_USES, type KeyUse } from "../../store/identity/service-keys.ts"
import type { Flag, Input } from "../command.ts"

export const USE_FLAG = {
  use: { help: `${KEY_USES.join(", ")}: what the key signs`, value: "USE" },
} as const satisfies Record<string, Flag>

/** Returns null without `--use`. Exits with 2 for an unknown use. */
export function keyUseOf(input: Input): KeyUse | null {
  const given = input.text("use")
  if (given === undefined) return null
  const use = KEY_USES.find((known) => known === given)
  if (!use) throw new CommandError(EXIT.USAGE, `--use must be ${KEY_USES.join(", ")}`)
  return use
}
