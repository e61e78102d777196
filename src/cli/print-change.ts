import type { Changed } from "../agent/change-keys.ts"
import type { Input } from "./command.ts"

/** What a rotation or revocation came to, with the ids of the keys that stay in force. */
export function printChange(input: Input, { keys, event, answer }: Changed): void {
  const { operational, recovery } = event.keys
  if (input.on("json")) {
    const told = {
      version: 1,
      result: answer.result,
      agent_id: answer.agent_id,
      operational_key_id: operational?.key_id ?? null,
      recovery_key_id: recovery?.key_id ?? null,
      sequence: event.sequence,
      event_digest: keys.head?.event_digest,
      log_index: answer.receipt.payload.log_index,
      profile: answer.profile,
    }
    input.out(`${JSON.stringify(told)}\n`)
    return
  }
  input.out(`${answer.result.padEnd(11)} ${answer.agent_id}
operational ${operational?.key_id ?? "none: revoked"}
recovery    ${recovery?.key_id ?? "none: revoked"}
event       ${event.sequence}, leaf ${answer.receipt.payload.log_index} of the log
`)
}
