import { readKeyFile } from "../../agent/key-file.ts"
import { signingKey } from "../../agent/keys.ts"
import { signStatement } from "../../agent/sign-statement.ts"
import { CommandError, EXIT, type ExitCode } from "../../base/exit.ts"
import { type Machine, realMachine } from "../../base/machine.ts"
import { isReservedPayload } from "../../core/signed-forms.ts"
import { type Command, type Input, JSON_FLAG } from "../command.ts"
import { readDocumentJson } from "../documents/read-document.ts"
import { writeNewFile } from "../documents/write-output.ts"

const required = true

export const command: Command = {
  name: "agent sign",
  summary: "sign a statement over a payload's digest on this machine; nothing is sent",
  operands: "",
  flags: {
    keys: { help: "key file of agent keygen, enrolled", value: "FILE", required },
    payload: { help: "the payload, any JSON; - reads standard input", value: "FILE", required },
    audience: { help: "origin of the relying party, scheme://host[:port]", value: "URL", required },
    "action-type": { help: "name of the action, e.g. SYNTHETIC_TEST", value: "NAME", required },
    context: { help: "at most sixteen named texts, as a JSON object", value: "FILE" },
    "digest-only": { help: "write the statement without the payload" },
    out: { help: "new file for the signed statement; default standard output", value: "FILE" },
    ...JSON_FLAG,
  },
  examples: [
    "agent sign --keys ./agent.json --payload ./invoice.json --audience https://partner.example --action-type APPROVE_INVOICE --out ./signed.json",
  ],
  run: (input) => runSign(input, realMachine),
}

export async function runSign(input: Input, machine: Machine): Promise<ExitCode> {
  const audience = input.need("audience")
  if (!URL.canParse(audience) || new URL(audience).origin !== audience) {
    throw new CommandError(EXIT.USAGE, "--audience must be scheme://host[:port], lower case, without a path")
  }
  const keys = readKeyFile(input.need("keys"))
  if (keys.agent_id === undefined) {
    throw new CommandError(EXIT.USAGE, `${input.need("keys")} is not enrolled yet; run bizauth agent enroll first`)
  }
  const payload = await readDocumentJson(input.need("payload"))
  // Rulings 3: nobody must be tricked into signing a mandate or a key event as a harmless text.
  if (isReservedPayload(payload)) {
    throw new CommandError(EXIT.INVALID, "not signed: the payload could be read as one of the service's signed forms")
  }
  const contextFile = input.text("context")
  const signed = signStatement({
    agentId: keys.agent_id,
    key: signingKey(keys.operational),
    payload,
    audience,
    actionType: input.need("action-type"),
    context: contextFile === undefined ? {} : textsOf(await readDocumentJson(contextFile)),
    machine,
  })
  if (!signed) {
    throw new CommandError(
      EXIT.USAGE,
      "not signed: --action-type takes letters, digits and . _ : -; the context at most sixteen texts of 256 characters",
    )
  }
  const { payload: _, ...withoutPayload } = signed
  const text = `${JSON.stringify(input.on("digest-only") ? withoutPayload : signed, null, input.on("json") ? 0 : 2)}\n`
  const out = input.text("out")
  if (out === undefined) input.out(text)
  else writeNewFile(out, text)
  return EXIT.DONE
}

function textsOf(value: unknown): Record<string, string> {
  const isTexts =
    typeof value === "object" &&
    value !== null &&
    !Array.isArray(value) &&
    Object.values(value).every((member) => typeof member === "string")
  if (!isTexts) throw new CommandError(EXIT.USAGE, "not signed: the context is not an object of texts")
  return value as Record<string, string>
}
