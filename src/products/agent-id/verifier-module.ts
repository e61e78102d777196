import { getVerifierModule } from "../../../schemas/agent-id/verifier-module.ts"
import { atFirstUse } from "../../core/at-first-use.ts"
import { heldDocument } from "../../http/conditional.ts"
import { serve } from "../../http/serve.ts"
import type { Shell } from "../../http/shell.ts"

const HEADERS = { "content-type": "text/javascript", "cache-control": "public, max-age=300" }

/** Serves the verifier of this program as one file, for callers who do not have the program. */
export function verifierModule(shell: Shell) {
  const held = atFirstUse(async () => heldDocument((await import("./verifier-text.ts")).MODULE, HEADERS))
  return serve(shell, getVerifierModule, async ({ headers }) => (await held())(headers))
}
