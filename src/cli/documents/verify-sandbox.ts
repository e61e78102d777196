import { NATIVE_CRYPTO } from "../../core/crypto/native-crypto.ts"
import { printReport } from "../../documents/verdict-text.ts"
import { pinnedSandboxKey, verifySandboxArtifact } from "../../documents/verify-sandbox-artifact.ts"
import { CommandError, EXIT, type ExitCode } from "../../exit.ts"
import type { Input } from "../command.ts"
import { EXIT_OF, readDocumentBytes, readDocumentJson } from "./read-document.ts"

const FOREIGN = ["capsule", "check", "document", "request", "require", "at"] as const
const WORDS = { VALID: "SYNTHETIC", INVALID: "NOT_GENUINE", NOT_CHECKED: "NOT_CHECKED" } as const

/** `verify --sandbox`: the pinned sandbox key and a wrapper, and nothing else. */
export async function runVerifySandbox(input: Input): Promise<ExitCode> {
  for (const flag of FOREIGN) {
    if (input.texts(flag).length > 0) {
      throw new CommandError(EXIT.USAGE, `--${flag}: a document of the sandbox is synthetic and decides nothing`)
    }
  }
  const path = input.need("issuer")
  const key = pinnedSandboxKey(await readDocumentJson(path))
  if (!key) {
    throw new CommandError(EXIT.NOT_CHECKED, `${path} does not hold one sandbox key; bizauth sandbox key prints it`)
  }
  const { report, artifact } = verifySandboxArtifact(
    await readDocumentBytes(input.operands[0] ?? "-"),
    key,
    NATIVE_CRYPTO,
  )
  const { conclusion } = report
  const said = conclusion === "VALID" && artifact ? artifact.payload : null
  if (input.on("json")) {
    const members = {
      genuine: WORDS[conclusion],
      current: null,
      permitted: null,
      result: conclusion,
      synthetic: true,
      journey: said?.journey ?? null,
      artifact_type: said?.artifact_type ?? null,
      checks: report.lines,
    }
    input.out(`${JSON.stringify({ version: 2, ...members })}\n`)
  } else {
    const of = said === null ? "" : `: ${said.artifact_type} of the journey ${said.journey}, seed ${said.seed}`
    input.out(`${printReport(report)}\ngenuine    ${WORDS[conclusion]}${of}\npermitted  nothing\n`)
  }
  return EXIT_OF[conclusion]
}
