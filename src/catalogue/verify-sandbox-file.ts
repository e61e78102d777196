/** Verifies a synthetic document of the sandbox: the pinned sandbox key and a wrapper, and nothing else. */
import type { SandboxArtifactPayload } from "../../schemas/agent-mode/sandbox-artifact.ts"
import type { DocumentCrypto } from "../core/crypto/document-crypto.ts"
import type { Report } from "../documents/report.ts"
import { printReport } from "../documents/verdict-text.ts"
import { pinnedSandboxKey, verifySandboxArtifact } from "../documents/verify-sandbox-artifact.ts"
import { CommandError, EXIT } from "../exit.ts"
import { jsonIn } from "./given-files.ts"
import type { VerifyInputs } from "./verify-file.ts"

const WORDS = { VALID: "SYNTHETIC", INVALID: "NOT_GENUINE", NOT_CHECKED: "NOT_CHECKED" } as const

export interface SandboxVerdict {
  readonly report: Report
  readonly genuine: (typeof WORDS)[keyof typeof WORDS]
  /** Null unless the report is valid, so that nobody reads a forged document. */
  readonly said: SandboxArtifactPayload | null
}

const FOREIGN = ["capsule", "check", "document", "request", "require", "at", "requirement", "job", "submitted"]

/** Throws CommandError: 2 for a file or value that such a document does not use, 4 for a file that cannot be read. */
export async function verifySandboxFile(
  { isGiven, read, document }: Pick<VerifyInputs, "isGiven" | "read" | "document">,
  crypto: DocumentCrypto,
): Promise<SandboxVerdict> {
  for (const flag of FOREIGN) {
    if (isGiven(flag)) {
      throw new CommandError(EXIT.USAGE, `--${flag}: a document of the sandbox is synthetic and decides nothing`)
    }
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
  return { report, genuine: WORDS[conclusion], said: conclusion === "VALID" && artifact ? artifact.payload : null }
}

export function sandboxText({ report, genuine, said }: SandboxVerdict): string {
  const of = said === null ? "" : `: ${said.artifact_type} of the journey ${said.journey}, seed ${said.seed}`
  return `${printReport(report)}\ngenuine    ${genuine}${of}\npermitted  nothing\n`
}
