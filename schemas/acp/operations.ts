import { documentReplies } from "../discovery/document-replies.ts"
import { operation, PUBLIC_READ } from "../operation.ts"
import { ACP_CHANNEL_DEFAULT } from "./terms.ts"

/** Returns the operation row as served. The slug of the channel is configuration. */
export function buyerSigningModuleOf(acpChannel: string) {
  return operation({
    ...PUBLIC_READ,
    id: "get_buyer_signing_module",
    path: `/v1/channels/${acpChannel}/buyer-signing.mjs`,
    summary:
      "Dependency-free module that signs an ACP job on the buyer's machine (Node 22, Bun); the manifest has its digest",
    responses: {
      200: { description: "ECMAScript module", mediaType: "text/javascript; charset=utf-8" },
      ...documentReplies,
    },
  })
}

export const getBuyerSigningModule = buyerSigningModuleOf(ACP_CHANNEL_DEFAULT)
