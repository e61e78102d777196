/** Verifies a document of any kind in any JavaScript engine, with the code and in the words of `bizauth verify`. */
import { CommandError, EXIT } from "../../base/exit.ts"
import type { GivenFile } from "../../offline/given/given-files.ts"
import type { VerifyInputs } from "../../offline/given/verify-inputs.ts"
import { verifyFile } from "../../offline/verify-file.ts"
import { proven, textReport } from "../../offline/words/verdict-text.ts"
import { KNOWN } from "../../pages/verify/known.ts"
import type { Verification, VerifyOptions } from "./client.d.ts"

const utf8 = new TextEncoder()

/** Throws an Error whose message says what is missing or cannot be read. */
export async function verifyDocument(document: Uint8Array | string, options: VerifyOptions): Promise<Verification> {
  const judged = await verifyFile(inputsOf(document, options), KNOWN, Date.now())
  const stated = proven(judged)
  return {
    verdict: judged.judgement.verdict,
    decision: stated?.decision ?? null,
    machineAction: stated?.machineAction ?? null,
    text: textReport(judged),
  }
}

function inputsOf(document: Uint8Array | string, options: VerifyOptions): VerifyInputs {
  const { issuer, request, capsule } = options
  const files: Readonly<Record<string, Uint8Array | string | undefined>> = {
    issuer,
    request: request === undefined ? undefined : JSON.stringify(request),
    capsule: capsule ?? undefined,
  }
  const texts: Readonly<Record<string, string | undefined>> = {
    at: options.at,
    require: options.require,
    environment: options.environment,
  }
  if (typeof issuer !== "string") throw new CommandError(EXIT.USAGE, "issuer takes the JSON of the issuer's key set")
  return {
    document: async () => fileOf("document", document),
    read: async (flag) => {
      const given = files[flag]
      return given === undefined ? null : fileOf(flag, given)
    },
    listed: async () => [],
    text: (flag) => texts[flag],
    isGiven: (flag) => files[flag] !== undefined || texts[flag] !== undefined,
    reformatted: false,
  }
}

function fileOf(name: string, given: Uint8Array | string): GivenFile {
  return { name, bytes: typeof given === "string" ? utf8.encode(given) : given }
}
