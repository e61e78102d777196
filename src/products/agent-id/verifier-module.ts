import { getVerifierModule } from "../../../schemas/agent-id/export.ts"
import { conditional } from "../../http/conditional.ts"
import { type Shell, serve } from "../../http/serve.ts"
import { publishedModule } from "../../verifier/published-module.ts" with { type: "macro" }

const BYTES = new TextEncoder().encode(publishedModule())

/** The verifier this very program runs, as one file for those who have not our program. */
export function verifierModule(shell: Shell) {
  return serve(shell, getVerifierModule, ({ headers }) =>
    conditional(headers, BYTES, { "content-type": "text/javascript", "cache-control": "public, max-age=300" }),
  )
}
