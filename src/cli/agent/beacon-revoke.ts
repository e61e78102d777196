import { type IntentBeaconRevocationResult, SignedIntentBeaconRevocation } from "../../../schemas/agent-mode/beacon.ts"
import { revokeBeaconConsent } from "../../../schemas/agent-mode/beacon-operations.ts"
import { type Send, sendOverNetwork } from "../../agent/service-call.ts"
import { sendMessage } from "../../agent/sign-message.ts"
import { CommandError, EXIT, type ExitCode } from "../../base/exit.ts"
import { type Machine, realMachine } from "../../base/machine.ts"
import { type Command, type Input, JSON_FLAG } from "../command.ts"
import { messageSigner, SIGNER_FLAGS } from "./message-signer.ts"

export const command: Command = {
  name: "agent beacon revoke",
  summary: "revoke a consent to the Intent Beacon: no event is accepted once the service has responded",
  operands: "",
  flags: {
    ...SIGNER_FLAGS,
    consent: { help: "id of the consent", value: "ID", required: true },
    reason: { help: "CONSENT_WITHDRAWN, KEY_COMPROMISE, PURPOSE_ENDED or UNSPECIFIED", value: "CODE" },
    ...JSON_FLAG,
  },
  examples: ["agent beacon revoke --keys ./agent.json --server http://127.0.0.1:8402 --consent my-consent-1"],
  run: (input) => runRevokeConsent(input, sendOverNetwork, realMachine),
}

async function runRevokeConsent(input: Input, send: Send, machine: Machine): Promise<ExitCode> {
  const consent_id = input.need("consent")
  const reason = input.text("reason")
  const { body } = await sendMessage<IntentBeaconRevocationResult>(
    messageSigner(input, machine),
    {
      schema: SignedIntentBeaconRevocation,
      scope: "INTENT_BEACON",
      members: { consent_id, ...(reason !== undefined && { reason_code: reason }) },
    },
    {
      row: revokeBeaconConsent,
      path: revokeBeaconConsent.path.replace("{consentId}", encodeURIComponent(consent_id)),
      status: 200,
      step: "revocation",
      send,
    },
  )
  if (body.consent_id !== consent_id) throw new CommandError(EXIT.INVALID, "the service answered another consent")
  input.out(input.on("json") ? `${JSON.stringify({ version: 1, answer: body })}\n` : `REVOKED  ${consent_id}\n`)
  return EXIT.DONE
}
