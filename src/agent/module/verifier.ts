/**
 * Entry of the published module `verifier.mjs`: everything that this service signs, verified without it. The other exports are what
 * `client.mjs` shares with it, so that both files have one copy of the arithmetic.
 */

import { verifyBundle } from "../../offline/kinds/identity/verify-bundle.ts"
import { verifyServiceDocument } from "../../offline/module/verify-service-document.ts"
import { digestText, hashOfText, keyIdOf, sha256 } from "../../offline/portable/encoding.ts"
import { publicKeyOf, signBytes } from "./portable-signing.ts"
import { verifyDocument } from "./verify-document.ts"

export {
  digestText,
  hashOfText,
  keyIdOf,
  publicKeyOf,
  sha256,
  signBytes,
  verifyBundle,
  verifyDocument,
  verifyServiceDocument,
}
