import { PAYMENT_DECISION_PATH } from "../../../schemas/us/payment-decision.ts"
import { deliveryIn, requireOwnDelivery } from "../../agent/delivery-answer.ts"
import { readKeyFile } from "../../agent/key-file.ts"
import { signingKey } from "../../agent/keys.ts"
import { recoveryRequest } from "../../agent/recover-request.ts"
import { requireRequest } from "../../agent/request-file.ts"
import {
  DELIVERY_BYTES_MAX,
  postJson,
  refused,
  type Send,
  sendOverNetwork,
  serverOrigin,
} from "../../agent/service-call.ts"
import { CommandError, EXIT, type ExitCode } from "../../base/exit.ts"
import { type Machine, realMachine } from "../../base/machine.ts"
import { requestDigest } from "../../checks/policy/digests.ts"
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
  const reply = await postJson(
    send,
    `${server}${PAYMENT_DECISION_PATH}/recover`,
    recoveryRequest(request, key, server, machine),
    { bytesMax: DELIVERY_BYTES_MAX },
  )
  if (reply.status === 202) {
    throw new CommandError(
      EXIT.NOT_CHECKED,
      "the payment is still being settled; recover again later, do not pay again",
    )
  }
  if (reply.status === 404) {
    throw new CommandError(EXIT.NOT_FOUND, "nothing was acquired for this request; this does not authorize a payment")
  }
  if (reply.status !== 200) throw refused("recovery", reply)
  requireOwnDelivery(reply, requestDigest(request), "recover again; nothing was charged")
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
