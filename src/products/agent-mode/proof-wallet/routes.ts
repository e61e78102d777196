import { Elysia } from "elysia"
import {
  getProofWalletInventory,
  ImportProofWalletArtifact,
  importProofWalletArtifact,
} from "../../../../schemas/agent-mode/proof-wallet.ts"
import { closed } from "../../../../schemas/common.ts"
import { bankDataGuard } from "../../../http/bank-data-guard.ts"
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

export function proofWallet(deps: ProofWalletDeps): Elysia {
  const { shell } = deps
  const options = { guard: requireNoEconomicHeader }
  const routes = new Elysia({ normalize: false })
    .use(
      serve(
        shell,
        importProofWalletArtifact,
        (call) => {
          requireNoBankData?.(call.body)
          return replyImport(deps, call)
        },
        options,
      ),
    )
    .use(serve(shell, getProofWalletInventory, (call) => replyInventory(deps, call), options))
  return routes as unknown as Elysia
}
