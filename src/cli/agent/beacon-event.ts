import { EVENT_KINDS, type IntentBeaconResult, SignedIntentBeaconEvent } from "../../../schemas/agent-mode/beacon.ts"
import { acceptBeaconEvent } from "../../../schemas/agent-mode/beacon-operations.ts"
import { type Send, sendOverNetwork } from "../../agent/service-call.ts"
import { sendMessage } from "../../agent/sign-message.ts"
import { CommandError, EXIT, type ExitCode } from "../../base/exit.ts"
import { type Machine, realMachine } from "../../base/machine.ts"
import { encodeBase64url } from "../../core/base64url.ts"
import { formatInstant } from "../../core/time.ts"
import { type Command, type Input, JSON_FLAG } from "../command.ts"
import { messageSigner, SIGNER_FLAGS } from "./message-signer.ts"

export const command: Command = {
  name: "agent beacon event",
  summary: "tell a service one intent by code, under a consent; it is counted and not kept",
  operands: "",
  flags: {
    ...SIGNER_FLAGS,
    consent: { help: "id of the consent", value: "ID", required: true },
    kind: { help: `one of ${EVENT_KINDS.join(", ")}`, value: "KIND", required: true },
    channel: { help: "the channel you came through", value: "ID", required: true },
    product: { help: "product that it is about", value: "ID" },
    ...JSON_FLAG,
  },
  examples: [
    "agent beacon event --keys ./agent.json --server http://127.0.0.1:8402 --consent my-consent-1 --kind QUOTE_VIEWED --channel http-api",
  ],
  run: (input) => runEvent(input, sendOverNetwork, realMachine),
}

async function runEvent(input: Input, send: Send, machine: Machine): Promise<ExitCode> {
  const members = {
    event_id: `e${encodeBase64url(machine.random(16)).replaceAll(/[-_]/g, ".")}`,
    consent_id: input.need("consent"),
    event_kind: input.need("kind"),
    product_id: input.text("product") ?? null,
    channel: input.need("channel"),
    occurred_at: formatInstant(machine.now()),
  }
  const { body } = await sendMessage<IntentBeaconResult>(
    messageSigner(input, machine),
    { schema: SignedIntentBeaconEvent, scope: "INTENT_BEACON", members },
    { row: acceptBeaconEvent, status: 202, step: "event", send },
  )
  if (body.event_id !== members.event_id) throw new CommandError(EXIT.INVALID, "the service answered another event")
  input.out(
    input.on("json") ? `${JSON.stringify({ version: 1, answer: body })}\n` : `ACCEPTED  ${members.event_kind}\n`,
  )
  return EXIT.DONE
}
