import { readPostmanCollection } from "../../schemas/agent-id/postman.ts"
import { postmanCollection } from "../products/agent-id/postman-collection.ts"
import { AGENT_DOCUMENTS } from "./documents/agent-documents.ts"
import type { DocumentRow } from "./parts.ts"

/** The documents that agents read. The capability manifest, which lists their digests, is the only other one. */
export const DOCUMENTS: readonly DocumentRow[] = [
  { operation: readPostmanCollection, print: postmanCollection },
  ...AGENT_DOCUMENTS,
]
