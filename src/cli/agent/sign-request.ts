import { PAYMENT_DECISION_PATH } from "../../../schemas/us/payment-decision.ts"
import { authorizeVendorChange } from "../../../schemas/us/vendor-change.ts"
import { readKeyFile } from "../../agent/key-file.ts"
import { type SigningKey, signingKey } from "../../agent/keys.ts"
import { checkedMandate, signMandate } from "../../agent/mandate.ts"
import { completeDraft } from "../../agent/request-draft.ts"
import { signRequest } from "../../agent/sign-request.ts"
import { isVendorChangeDraft, signVendorChange } from "../../agent/sign-vendor-change.ts"
import { CommandError, EXIT, type ExitCode } from "../../base/exit.ts"
import { type Machine, realMachine } from "../../base/machine.ts"
import { requestDigest } from "../../checks/policy/digests.ts"
import { digestOf } from "../../core/digest.ts"
import type { JsonValue } from "../../core/strict-json.ts"
import { readMandateKey } from "../buyers/mandate-key-file.ts"
import { type Command, type Input, JSON_FLAG } from "../command.ts"
import { readDocumentJson } from "../documents/read-document.ts"
import { writeNewFile } from "../documents/write-output.ts"

const required = true
const MINUTES_DEFAULT = 120
const MINUTES_MIN = 15
const MINUTES_MAX = 7 * 24 * 60

export const command: Command = {
  name: "agent sign-request",
  summary: "complete and sign a Payment Decision request or a US vendor change on this machine; nothing is sent",
  operands: "",
  flags: {
    keys: { help: "key file of agent keygen, enrolled", value: "FILE", required },
    request: {
      help: "the draft: a request without digests and signatures; constants may be left out. A vendor change names its domain",
      value: "FILE",
      required,
    },
    "mandate-key": {
      help: "organization's private mandate key; makes a mandate for exactly this request",
      value: "FILE",
    },
    "mandate-valid-minutes": {
      help: `how long that mandate lasts (default ${MINUTES_DEFAULT}, ${MINUTES_MIN} to ${MINUTES_MAX})`,
      value: "N",
    },
    mandate: { help: "instead of a key: a mandate signed elsewhere for exactly this draft", value: "FILE" },
    out: { help: "new file for the signed request; keep it, recovery needs it", value: "FILE", required },
    ...JSON_FLAG,
  },
  examples: [
    "agent sign-request --keys ./agent.json --request ./draft.json --mandate-key ./org.key --out ./request.json",
  ],
  run: (input) => runSignRequest(input, realMachine),
}

export async function runSignRequest(input: Input, machine: Machine): Promise<ExitCode> {
  const isBare = input.text("mandate-key") === undefined && input.text("mandate") === undefined
  const bare = isBare ? await readDocumentJson(input.need("request")) : null
  if (bare !== null && isVendorChangeDraft(bare)) return signChange(input, bare, machine)
  const { mandateKey, mandateFile } = mandateSource(input)
  const minutes = validMinutes(input)
  const { agentId, key } = enrolledKey(input.need("keys"))
  const draft = completeDraft({
    draft: await readDocumentJson(input.need("request")),
    agentId,
    keyId: key.keyId,
    machine,
    keepTime: mandateKey === undefined,
  })
  const mandate =
    mandateKey === undefined
      ? checkedMandate(await readDocumentJson(mandateFile), draft, machine)
      : signMandate(draft, readMandateKey(mandateKey, draft.buyer.organization_id), minutes, machine)
  const request = signRequest(draft, mandate, key)
  const out = input.need("out")
  writeNewFile(out, `${JSON.stringify(request, null, 2)}\n`)
  const digests = { request_digest: requestDigest(request), body_digest: digestOf(request) }
  const { mandate_id: mandateId, valid_until: validUntil } = mandate.payload
  input.out(
    input.on("json")
      ? `${JSON.stringify({ version: 1, file: out, ...digests, mandate_id: mandateId, idempotency_key: request.idempotency_key })}\n`
      : `signed          ${out}\nrequest digest  ${digests.request_digest}\nmandate         ${mandateId}, until ${validUntil}\nidempotency key ${request.idempotency_key}\nnext            ask for a quote within five minutes, at ${PAYMENT_DECISION_PATH}: bizauth agent quote\n`,
  )
  return EXIT.DONE
}

/** A change needs only the signature of the delegated agent key, so no mandate is made. */
function signChange(input: Input, draft: JsonValue, machine: Machine): ExitCode {
  const request = signVendorChange(draft, { ...enrolledKey(input.need("keys")), machine })
  const out = input.need("out")
  writeNewFile(out, `${JSON.stringify(request, null, 2)}\n`)
  const bodyDigest = digestOf(request)
  input.out(
    input.on("json")
      ? `${JSON.stringify({ version: 1, file: out, body_digest: bodyDigest, idempotency_key: request.idempotency_key })}\n`
      : `signed          ${out}\nbody digest     ${bodyDigest}\nidempotency key ${request.idempotency_key}\nnext            ask for a quote within five minutes, at ${authorizeVendorChange.path}: bizauth agent quote\n`,
  )
  return EXIT.DONE
}

function enrolledKey(path: string): { readonly agentId: string; readonly key: SigningKey } {
  const keys = readKeyFile(path)
  if (keys.agent_id === undefined) {
    throw new CommandError(EXIT.USAGE, `${path} is not enrolled yet; run bizauth agent enroll first`)
  }
  return { agentId: keys.agent_id, key: signingKey(keys.operational) }
}

function mandateSource(
  input: Input,
): { mandateKey: string; mandateFile: undefined } | { mandateKey: undefined; mandateFile: string } {
  const mandateKey = input.text("mandate-key")
  const mandateFile = input.text("mandate")
  if (mandateKey !== undefined && mandateFile === undefined) return { mandateKey, mandateFile }
  if (mandateFile !== undefined && mandateKey === undefined) return { mandateKey, mandateFile }
  throw new CommandError(EXIT.USAGE, "give either --mandate-key or --mandate")
}

function validMinutes(input: Input): number {
  const typed = input.text("mandate-valid-minutes") ?? String(MINUTES_DEFAULT)
  const minutes = /^\d{1,5}$/.test(typed) ? Number(typed) : 0
  if (minutes >= MINUTES_MIN && minutes <= MINUTES_MAX) return minutes
  throw new CommandError(
    EXIT.USAGE,
    `--mandate-valid-minutes must be a whole number from ${MINUTES_MIN} to ${MINUTES_MAX}`,
  )
}
