import { getProofWalletInventory, importProofWalletArtifact } from "../../../../schemas/agent-mode/proof-wallet.ts"
import { atFirstUse } from "../../../core/at-first-use.ts"
import type { Route } from "../../../http/route.ts"
import { serve } from "../../../http/serve.ts"
import type { Shell } from "../../../http/shell.ts"
import { requireNoEconomicHeader } from "../economic-isolation.ts"
import type { WalletDeps } from "./import-artifact.ts"

export interface ProofWalletDeps extends WalletDeps {
  readonly shell: Shell
}

export function proofWallet(deps: ProofWalletDeps): readonly Route[] {
  const { shell } = deps
  const options = { guard: requireNoEconomicHeader }
  const replies = atFirstUse(async () => (await import("./wallet-replies.ts")).walletReplies(deps))
  return [
    serve(shell, importProofWalletArtifact, async (call) => (await replies()).import(call), options),
    serve(shell, getProofWalletInventory, async (call) => (await replies()).inventory(call), options),
  ]
}
