import { type Changed, changeKeys } from "../../agent/change-keys.ts"
import type { KeyFile } from "../../agent/forms/key-file.ts"
import { replaceKeyFile } from "../../agent/key-file.ts"
import type { Send } from "../../agent/service-call.ts"
import type { WantedChange } from "../../agent/wanted-change.ts"
import { EXIT, type ExitCode } from "../../base/exit.ts"
import { realMachine } from "../../base/machine.ts"
import type { Input } from "../command.ts"

/** Makes the change with the service, updates the key file at `path`, and prints the result. */
export async function changeKeyFile(
  input: Input,
  { path, keys, wanted, send }: { path: string; keys: KeyFile; wanted: WantedChange; send: Send },
): Promise<ExitCode> {
  const changed = await changeKeys({
    keys,
    wanted,
    send,
    random: (byteLength) => realMachine.random(byteLength),
    keep: (kept) => replaceKeyFile(path, kept),
  })
  printChange(input, changed)
  return EXIT.DONE
}

/** Includes the ids of the keys that stay in force. */
function printChange(input: Input, { keys, event, answer }: Changed): void {
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
