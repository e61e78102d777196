/** Entry of the published module `/v1/agent-id/verifier.mjs`: for `import` in a browser, Node or Bun, and for `node verifier.mjs FILE`. */

import { verifyBundle } from "../kinds/identity/verify-bundle.ts"
import { runAsProgram } from "./program.ts"
import { verifyServiceDocument } from "./verify-service-document.ts"

export { verifyBundle, verifyServiceDocument }

await runAsProgram(import.meta.url)
