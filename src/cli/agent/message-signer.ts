import { readKeyFile } from "../../agent/key-file.ts"
import { serverOrigin } from "../../agent/service-call.ts"
import type { MessageSigner } from "../../agent/sign-message.ts"
import { CommandError, EXIT } from "../../base/exit.ts"
import type { Machine } from "../../base/machine.ts"
import type { Flag, Input } from "../command.ts"

/** Flags of every command that signs a message of agent mode. */
export const SIGNER_FLAGS = {
  keys: { help: "key file of agent keygen, enrolled", value: "FILE", required: true },
  server: { help: "origin of the service", value: "URL", required: true },
} as const satisfies Record<string, Flag>

/** Throws CommandError (2) if the agent of the key file is not enrolled. */
export function messageSigner(input: Input, machine: Machine): MessageSigner {
  const path = input.need("keys")
  const server = serverOrigin(input.need("server"))
  const keys = readKeyFile(path)
  if (keys.agent_id === undefined) {
    throw new CommandError(EXIT.USAGE, `${path} is not enrolled yet; run bizauth agent enroll first`)
  }
  return { agentId: keys.agent_id, keys, server, machine }
}
