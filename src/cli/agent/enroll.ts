import { enrol } from "../../agent/enrol.ts"
import { readKeyFile, replaceKeyFile } from "../../agent/key-file.ts"
import { type Send, sendOverNetwork, serverOrigin } from "../../agent/service-call.ts"
import { CommandError, EXIT, type ExitCode } from "../../base/exit.ts"
import { type Command, type Input, JSON_FLAG } from "../command.ts"

export const command: Command = {
  name: "agent enroll",
  summary: "Enrol an agent's keys with a service; the private keys stay in the file",
  operands: "",
  flags: {
    keys: { help: "key file of agent keygen", value: "FILE", required: true },
    server: { help: "origin of the service", value: "URL", required: true },
    ...JSON_FLAG,
  },
  examples: ["agent enroll --keys ./agent.json --server http://127.0.0.1:8402"],
  run: (input) => runEnrol(input, sendOverNetwork),
}

export async function runEnrol(input: Input, send: Send): Promise<ExitCode> {
  const path = input.need("keys")
  const server = serverOrigin(input.need("server"))
  const keys = readKeyFile(path)
  if (keys.agent_id !== undefined) {
    throw new CommandError(EXIT.USAGE, `${path} is enrolled already as ${keys.agent_id} at ${keys.server}`)
  }
  const remember = (pending: NonNullable<typeof keys.pending>) => replaceKeyFile(path, { ...keys, pending })
  const { agentId, keyId, profile, head } = await enrol({ keys, server, send, remember })
  const { pending: _, ...kept } = keys
  replaceKeyFile(path, { ...kept, server, agent_id: agentId, key_id: keyId, head })
  input.out(
    input.on("json")
      ? `${JSON.stringify({ version: 1, agent_id: agentId, key_id: keyId, profile })}\n`
      : `${JSON.stringify(profile, null, 2)}\n`,
  )
  return EXIT.DONE
}
