import type { ExitCode } from "../../base/exit.ts"
import { NATIVE_CRYPTO } from "../../core/crypto/native-crypto.ts"
import type { VerifyInputs } from "../../offline/given/verify-inputs.ts"
import { sandboxText, verifySandboxFile } from "../../offline/verify-sandbox-file.ts"
import { EXIT_OF_VERDICT } from "../../offline/words/exit-codes.ts"
import type { Input } from "../command.ts"

/** `verify --sandbox`. */
export async function runVerifySandbox(input: Input, files: VerifyInputs): Promise<ExitCode> {
  const result = await verifySandboxFile(files, NATIVE_CRYPTO)
  const { report, genuine, said, verdict } = result
  if (input.on("json")) {
    const members = {
      genuine,
      current: null,
      permitted: null,
      result: report.conclusion,
      synthetic: true,
      journey: said?.journey ?? null,
      artifact_type: said?.artifact_type ?? null,
      checks: report.lines,
    }
    input.out(`${JSON.stringify({ version: 2, ...members })}\n`)
  } else {
    input.out(sandboxText(result))
  }
  return EXIT_OF_VERDICT[verdict]
}
