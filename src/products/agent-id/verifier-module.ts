import { getVerifierModule } from "../../../schemas/agent-id/verifier-module.ts"
import { heldDocument } from "../../http/conditional.ts"
import { serve } from "../../http/serve.ts"
import type { Shell } from "../../http/shell.ts"
import { publishedModule } from "../../offline/module/published-module.ts" with { type: "macro" }

const MODULE = publishedModule()

/** Serves the verifier of this program as one file, for callers who do not have the program. */
export function verifierModule(shell: Shell) {
  const held = heldDocument(MODULE, { "content-type": "text/javascript", "cache-control": "public, max-age=300" })
  return serve(shell, getVerifierModule, ({ headers }) => held(headers))
}
