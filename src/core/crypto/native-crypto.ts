import { digestBytes, digestOf } from "../digest.ts"
import { checkPublicKey, verifySignature } from "../ed25519.ts"
import { keyIdOf } from "../jwk.ts"
import type { DocumentCrypto } from "./document-crypto.ts"

export const NATIVE_CRYPTO: DocumentCrypto = { digestBytes, digestOf, keyIdOf, checkPublicKey, verifySignature }
