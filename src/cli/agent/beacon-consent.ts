import {
  BEACON_POLICY_VERSION,
  EVENT_KINDS,
  type IntentBeaconConsentResult,
  SignedIntentBeaconConsent,
} from "../../../schemas/agent-mode/beacon.ts"
import { grantBeaconConsent } from "../../../schemas/agent-mode/beacon-operations.ts"
import { CONSENT_DAYS_MAX } from "../../../schemas/agent-mode/identity-adoption.ts"
import { type Send, sendOverNetwork } from "../../agent/service-call.ts"
import { sendMessage } from "../../agent/sign-message.ts"
import { CommandError, EXIT, type ExitCode } from "../../base/exit.ts"
import { type Machine, realMachine } from "../../base/machine.ts"
import { DAY, formatInstant } from "../../core/time.ts"
import { type Command, type Input, JSON_FLAG } from "../command.ts"
import { messageSigner, SIGNER_FLAGS } from "./message-signer.ts"
import { ISSUER_FLAG, requireSignedByService } from "./signed-by-service.ts"

export const command: Command = {
  name: "agent beacon consent",
  summary: "consent to tell a service intents by code, never content; revocable at any time",
  operands: "",
  flags: {
    ...SIGNER_FLAGS,
    consent: { help: "an id of your choice, 8 to 160 characters", value: "ID", required: true },
    channels: { help: "comma-separated channels", value: "IDS", required: true, repeats: true },
    kinds: {
      help: `comma-separated kinds of events (default all: ${EVENT_KINDS.join(",")})`,
      value: "KINDS",
      repeats: true,
    },
    days: { help: `how long it lasts, 1 to ${CONSENT_DAYS_MAX} days (default 30)`, value: "DAYS" },
    "max-per-day": { help: "events a day, 1 to 1000 (default 100)", value: "COUNT" },
    ...ISSUER_FLAG,
    ...JSON_FLAG,
  },
  examples: [
    "agent beacon consent --keys ./agent.json --server http://127.0.0.1:8402 --consent my-consent-1 --channels http-api",
  ],
  run: (input) => runConsent(input, sendOverNetwork, realMachine),
}

export async function runConsent(input: Input, send: Send, machine: Machine): Promise<ExitCode> {
  const days = wholeNumber(input, "days", 30, CONSENT_DAYS_MAX)
  const now = machine.now()
  const members = {
    consent_id: input.need("consent"),
    purpose: "INTENT_BEACON",
    event_kinds: input.texts("kinds").length === 0 ? [...EVENT_KINDS] : input.list("kinds"),
    channels: input.list("channels"),
    policy_version: BEACON_POLICY_VERSION,
    valid_from: formatInstant(now),
    valid_until: formatInstant(now + days * DAY),
    max_events_per_day: wholeNumber(input, "max-per-day", 100, 1000),
  }
  const signer = messageSigner(input, machine)
  const { body, digest } = await sendMessage<IntentBeaconConsentResult>(
    signer,
    { schema: SignedIntentBeaconConsent, scope: "INTENT_BEACON", members },
    { row: grantBeaconConsent, status: 201, step: "consent", send },
  )
  const { payload } = body.receipt
  const isOwn =
    payload.request_digest === digest &&
    payload.audience === signer.agentId &&
    payload.consent_id === members.consent_id &&
    payload.valid_until === members.valid_until
  if (!isOwn) throw new CommandError(EXIT.INVALID, "the receipt is of another consent")
  await requireSignedByService({ input, server: signer.server, send, machine }, [body.receipt])
  input.out(
    input.on("json")
      ? `${JSON.stringify({ version: 1, answer: body })}\n`
      : `GRANTED  ${members.consent_id}\nuntil    ${members.valid_until}\n`,
  )
  return EXIT.DONE
}

function wholeNumber(input: Input, flag: string, fallback: number, most: number): number {
  const typed = input.text(flag)
  if (typed === undefined) return fallback
  const count = /^\d{1,4}$/.test(typed) ? Number(typed) : 0
  if (count < 1 || count > most)
    throw new CommandError(EXIT.USAGE, `--${flag} must be a whole number from 1 to ${most}`)
  return count
}
