import { CLIENT_MODULE } from "./client-module.ts"
import { AGENT_DOCUMENTS } from "./documents/agent-documents.ts"
import { OPENAPI_DOCUMENT } from "./openapi/document.ts"
import type { DocumentRow } from "./parts.ts"
import { SIGNED_FORMS } from "./signed-forms/document.ts"
import { SIGNING_MODULE } from "./signing-module.ts"
import { WEB_DOCUMENTS } from "./web-documents.ts"

/** The documents that agents read. The capability manifest, which lists their digests, is the only other one. */
export const DOCUMENTS: readonly DocumentRow[] = [
  OPENAPI_DOCUMENT,
  ...AGENT_DOCUMENTS,
  ...WEB_DOCUMENTS,
  SIGNING_MODULE,
  SIGNED_FORMS,
  ...CLIENT_MODULE,
]
