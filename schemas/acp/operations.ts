import { documentReplies } from "../discovery/document-replies.ts"
import { type Operation, operation, PUBLIC_READ } from "../operation.ts"

/** The slug of the channel is configuration, so the rows have a place for it. */
const CHANNEL_PLACE = "{acpChannel}"

export const getBuyerSigningModule = operation({
  ...PUBLIC_READ,
  id: "get_buyer_signing_module",
  path: `/v1/channels/${CHANNEL_PLACE}/buyer-signing.mjs`,
  summary:
    "Dependency-free module that signs an ACP job on the buyer's machine (Node 22, Bun); the manifest has its digest",
  responses: {
    200: { description: "ECMAScript module", mediaType: "text/javascript; charset=utf-8" },
    ...documentReplies,
  },
})

/** Returns the row as served: its path with the configured slug. A row of another channel stays as it is. */
export function onAcpChannel<Row extends Operation>(row: Row, channel: string): Row {
  return { ...row, path: row.path.replace(CHANNEL_PLACE, channel) }
}
