import { originOf } from "../../base/config.ts"
import { CommandError, EXIT } from "../../base/exit.ts"
import { realMachine } from "../../base/machine.ts"
import { plainText } from "../../core/text/plain-text.ts"
import { NO_MEMBERS, recordAct } from "../../review/acts.ts"
import type { Unit } from "../../store/engine/unit.ts"
import { listKeys, reviewerNamed } from "../../store/review/review-register.ts"
import { textOf } from "../buyers/buyer-verification.ts"
import { type Command, JSON_FLAG } from "../command.ts"
import { CONFIG_FLAGS, openData, readSettings } from "../inputs.ts"
import { nameOf } from "./reviewer-name.ts"

export const command: Command = {
  name: "review revoke",
  summary: "take away the passkeys of a reviewer, or one of them, at once; what the person judged stays",
  operands: "NAME [KEY_ID]",
  flags: {
    ...CONFIG_FLAGS,
    reason: { help: "why, for the record", value: "TEXT", required: true },
    ...JSON_FLAG,
  },
  examples: [{ line: 'review revoke "R. Reviewer" --reason "left the company" --data ./data', exit: EXIT.NOT_FOUND }],
  async run(input) {
    const [given = "", keyId] = input.operands
    const [name, reason] = [nameOf(given), textOf(input, "reason", 1000)]
    const { config } = readSettings(input)
    const { store, environment } = await openData(input)
    const revoked: string[] = []
    try {
      const audience = originOf(config)
      // The operator works at the machine, so nothing was opened at another origin.
      const deps = { store, machine: realMachine, audience, environment, origin: audience, isListed: () => false }
      // Read again after each one: the person may have enrolled another passkey meanwhile.
      for (;;) {
        const keys = await store.read(() => openKeysOf(name, keyId))
        if (keys === null) throw new CommandError(EXIT.NOT_FOUND, `no reviewer ${plainText(name)}`)
        const [one] = keys
        if (one === undefined) break
        const subject = { kind: "REVOKE" as const, key_id: one }
        const draft = { ...NO_MEMBERS, kind: "REVOKE" as const, subject, text: reason, reviewer: null, key_id: null }
        const taken = await recordAct(deps, draft)
        if (taken.fault !== null) {
          throw new CommandError(
            EXIT.INVALID,
            `${one} was not revoked (${taken.fault}): a record came in between; try again`,
          )
        }
        revoked.push(one)
      }
    } finally {
      await store.close()
    }
    if (revoked.length === 0)
      throw new CommandError(EXIT.NOT_FOUND, `${plainText(name)} has no such key that is not revoked`)
    input.result({ name, revoked }, revoked.map((one) => `REVOKED  ${one}\n`).join(""))
    return EXIT.DONE
  },
}

/** Ids of the person's keys that are not revoked; null for an unknown person. */
function* openKeysOf(name: string, keyId: string | undefined): Unit<readonly string[] | null> {
  const person = yield* reviewerNamed(name)
  if (!person) return null
  return (yield* listKeys())
    .filter(({ reviewerId, state }) => reviewerId === person.reviewerId && state !== "REVOKED")
    .map((key) => key.keyId)
    .filter((one) => keyId === undefined || one === keyId)
}
