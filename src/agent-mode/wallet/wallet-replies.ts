/** What answers each request to the proof wallet. */
import {
  type GetProofWalletInventory,
  type ImportProofWalletArtifact,
  importProofWalletArtifact,
} from "../../../schemas/agent-mode/proof-wallet.ts"
import { memberGuard } from "../../http/body-guard.ts"
import type { Call } from "../../http/call.ts"
import { replyImport, type WalletDeps } from "./import-artifact.ts"
import { replyInventory } from "./inventory.ts"

/**
 * CHOICE: raw bank data is looked for in everything but the imported document. The service issued the document and has looked then, no
 * holder can change a signed text, and what no signature covers is checked or not stored.
 */
const requireNoBankData = memberGuard(importProofWalletArtifact, "idempotency_key")

export function walletReplies(deps: WalletDeps) {
  return {
    import(call: Call<ImportProofWalletArtifact>) {
      requireNoBankData(call.body)
      return replyImport(deps, call)
    },
    inventory: (call: Call<GetProofWalletInventory>) => replyInventory(deps, call),
  }
}
