import type { WalletIssuer } from "../../agent-mode/wallet/opened-artifact.ts"
import { NATIVE_CRYPTO } from "../../core/crypto/native-crypto.ts"

/**
 * The offline verifier of company passports. It is here because agent mode may not import a product. It loads at its first use, because the
 * start needs no offline verifier.
 */
export const verifyPassport: WalletIssuer["verifyPassport"] = async (input) => {
  const loaded = await import("../../offline/kinds/passport.ts")
  return loaded.verifyPassport({ ...input, crypto: NATIVE_CRYPTO })
}
