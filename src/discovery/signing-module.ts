import { getBuyerSigningModule } from "../../schemas/acp/operations.ts"
import { publishedSigningModule } from "../jobs/buyer-signing/published-module.ts" with { type: "macro" }
import type { ConstantRow } from "./parts.ts"

const MODULE = publishedSigningModule()

/** `no-cache`: a buyer runs the module next to a private key, so each use asks whether it is still the published one. */
export const SIGNING_MODULE: ConstantRow = {
  operation: getBuyerSigningModule,
  cacheControl: "no-cache",
  print: () => MODULE,
}
