import { deliveryIn } from "../../agent/delivery-in.ts"
import { readKeyFile } from "../../agent/key-file.ts"
import { signingKey } from "../../agent/keys.ts"
import { recoverDelivery } from "../../agent/recover.ts"
import { requireRequest } from "../../agent/request-file.ts"
import { type Send, sendOverNetwork, serverOrigin } from "../../agent/service-call.ts"
import { EXIT, type ExitCode } from "../../base/exit.ts"
import { type Machine, realMachine } from "../../base/machine.ts"
import { type Command, type Input, JSON_FLAG } from "../command.ts"
import { readDocumentJson } from "../documents/read-document.ts"
import { writeNewFile } from "../documents/write-output.ts"

const required = true

export const command: Command = {
  name: "agent recover",
  summary: "get an acquired decision again, without payment (5 never acquired, 4 pending or unavailable)",
  operands: "",
  flags: {
    keys: { help: "key file of the agent that signed the request", value: "FILE", required },
    request: { help: "the signed request, exactly as it was sent", value: "FILE", required },
    server: { help: "origin of the service", value: "URL", required },
    out: { help: "new file for the delivery, byte for byte", value: "DELIVERY", required },
    ...JSON_FLAG,
  },
  examples: [
    "agent recover --keys ./agent.json --server http://127.0.0.1:8402 --request ./request.json --out ./again.json",
  ],
  run: (input) => runRecover(input, sendOverNetwork, realMachine),
}

export async function runRecover(input: Input, send: Send, machine: Machine): Promise<ExitCode> {
  const server = serverOrigin(input.need("server"))
  const key = signingKey(readKeyFile(input.need("keys")).operational)
  const request = requireRequest(await readDocumentJson(input.need("request")))
  const reply = await recoverDelivery({ send, server, key, machine }, request)
  const out = input.need("out")
  writeNewFile(out, reply.bytes)
  const delivery = deliveryIn(reply)
  input.out(
    input.on("json")
      ? `${JSON.stringify({ version: 1, file: out, decision: delivery.decision, machine_action: delivery.machine_action, decision_id: delivery.decision_id, response_digest: delivery.delivery.response_digest, charged: false })}\n`
      : `recovered  ${out}\ndecision   ${delivery.decision}, ${delivery.machine_action}\ncharged    nothing\n`,
  )
  return EXIT.DONE
}
