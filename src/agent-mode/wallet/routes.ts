import { getProofWalletInventory, importProofWalletArtifact } from "../../../schemas/agent-mode/proof-wallet.ts"
import { loadedAtFirstUse } from "../../core/at-first-use.ts"
import type { Route } from "../../http/route.ts"
import { serve } from "../../http/serve.ts"
import type { Shell } from "../../http/shell.ts"
import { requireNoEconomicHeader } from "../economic-isolation.ts"
import type { WalletDeps } from "./import-artifact.ts"

export interface ProofWalletDeps extends WalletDeps {
  readonly shell: Shell
}

export function proofWallet(deps: ProofWalletDeps): readonly Route[] {
  const { shell } = deps
  const options = { guard: requireNoEconomicHeader }
  const replies = loadedAtFirstUse(async () => (await import("./wallet-replies.ts")).walletReplies(deps))
  return [
    serve(shell, importProofWalletArtifact, replies("import"), options),
    serve(shell, getProofWalletInventory, replies("inventory"), options),
  ]
}
