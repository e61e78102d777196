/** Verifies a synthetic document of the sandbox: the pinned sandbox key and a wrapper, and nothing else. */
import type { SandboxArtifactPayload } from "../../schemas/agent-mode/sandbox-artifact.ts"
import { CommandError, EXIT } from "../base/exit.ts"
import type { DocumentCrypto } from "../core/crypto/document-crypto.ts"
import { type JsonValue, memberOf } from "../core/strict-json.ts"
import { jsonIn } from "./given/given-files.ts"
import type { VerifyInputs } from "./given/verify-inputs.ts"
import { requiredAction } from "./given/verify-terms.ts"
import { pinnedSandboxKey, verifySandboxArtifact } from "./kinds/sandbox-artifact.ts"
import type { Report } from "./report.ts"
import { isRequiredMet, VERDICT_OF, type Verdict } from "./words/judge-report.ts"
import { printReport } from "./words/verdict-text.ts"

const WORDS = { VALID: "SYNTHETIC", INVALID: "NOT_GENUINE", NOT_CHECKED: "NOT_CHECKED" } as const

interface SandboxVerdict {
  readonly report: Report
  readonly verdict: Verdict
  readonly genuine: (typeof WORDS)[keyof typeof WORDS]
  /** Null unless the report is valid, so that nobody reads a forged document. */
  readonly said: SandboxArtifactPayload | null
}

const FOREIGN = ["capsule", "check", "document", "request", "at", "requirement", "job", "submitted"]

/** Throws CommandError: 2 for a file or value that such a document does not use, 4 for a file that cannot be read. */
export async function verifySandboxFile(
  { isGiven, read, document, text }: Pick<VerifyInputs, "isGiven" | "read" | "document" | "text">,
  crypto: DocumentCrypto,
): Promise<SandboxVerdict> {
  for (const flag of FOREIGN) {
    if (isGiven(flag)) {
      throw new CommandError(EXIT.USAGE, `--${flag}: a document of the sandbox is synthetic and decides nothing`)
    }
  }
  const require = requiredAction(text("require"))
  const environment = text("environment")
  if (environment !== undefined && environment !== "sandbox") {
    throw new CommandError(EXIT.USAGE, `--environment ${environment}: --sandbox accepts only documents of the sandbox`)
  }
  const issuer = await read("issuer")
  if (issuer === null) throw new CommandError(EXIT.USAGE, "the sandbox key is missing: --issuer JWKS")
  const key = pinnedSandboxKey(jsonIn(issuer))
  if (!key) {
    const message = `${issuer.name} does not hold one sandbox key; bizauth sandbox key prints it`
    throw new CommandError(EXIT.NOT_CHECKED, message)
  }
  const { bytes } = await document()
  const { report, artifact } = verifySandboxArtifact(bytes, key, crypto)
  const { conclusion } = report
  const said = conclusion === "VALID" && artifact ? artifact.payload : null
  if (require !== undefined && said !== null) {
    const action = machineActionOf(said.document as JsonValue)
    const wrong =
      action === null ? "the document states no machine_action" : `machine_action is ${action}, not ${require}`
    report.check("require", action === require, { ok: require, invalid: wrong }, "REQUIRED")
    report.check("environment", environment !== undefined, { ok: "sandbox", invalid: "sandbox, not live" }, "REQUIRED")
  }
  const verdict = isRequiredMet(report) ? VERDICT_OF[conclusion] : "NOT_NOW"
  return { report, verdict, genuine: WORDS[conclusion], said }
}

/** A synthetic delivery states its action itself, and a synthetic capsule in its payload. */
function machineActionOf(document: JsonValue): string | null {
  const action = memberOf(document, "machine_action") ?? memberOf(memberOf(document, "payload"), "machine_action")
  return typeof action === "string" ? action : null
}

export function sandboxText({ report, genuine, said }: SandboxVerdict): string {
  const of = said === null ? "" : `: ${said.artifact_type} of the journey ${said.journey}, seed ${said.seed}`
  return `${printReport(report)}\ngenuine    ${genuine}${of}\npermitted  nothing\n`
}
