import {
  getProofWalletInventory,
  ImportProofWalletArtifact,
  importProofWalletArtifact,
} from "../../../../schemas/agent-mode/proof-wallet.ts"
import { closed } from "../../../../schemas/common.ts"
import { bankDataGuard } from "../../../http/bank-data-guard.ts"
import type { Route } from "../../../http/route.ts"
import { serve } from "../../../http/serve.ts"
import type { Shell } from "../../../http/shell.ts"
import { requireNoEconomicHeader } from "../economic-isolation.ts"
import { replyImport, type WalletDeps } from "./import-artifact.ts"
import { replyInventory } from "./inventory.ts"

export interface ProofWalletDeps extends WalletDeps {
  readonly shell: Shell
}

/**
 * CHOICE: raw bank data is looked for in everything but the imported document. The service issued the document and has looked then, no
 * holder can change a signed text, and what no signature covers is checked or not stored.
 */
const { idempotency_key } = ImportProofWalletArtifact.properties
const requireNoBankData = bankDataGuard({
  ...importProofWalletArtifact,
  body: closed({ idempotency_key }),
  bankData: "REFUSED",
})

export function proofWallet(deps: ProofWalletDeps): readonly Route[] {
  const { shell } = deps
  const options = { guard: requireNoEconomicHeader }
  return [
    serve(
      shell,
      importProofWalletArtifact,
      (call) => {
        requireNoBankData?.(call.body)
        return replyImport(deps, call)
      },
      options,
    ),
    serve(shell, getProofWalletInventory, (call) => replyInventory(deps, call), options),
  ]
}
