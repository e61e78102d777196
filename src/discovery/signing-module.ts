import { getBuyerSigningModule } from "../../schemas/acp/operations.ts"
import { publishedSigningModule } from "../buyer-signing/published-module.ts" with { type: "macro" }
import type { DocumentRow } from "./parts.ts"

const MODULE = publishedSigningModule()

/** `no-cache`: a buyer runs the module next to a private key, so each use asks whether it is still the published one. */
export const SIGNING_MODULE: DocumentRow = {
  operation: getBuyerSigningModule,
  cacheControl: "no-cache",
  print: () => MODULE,
}
