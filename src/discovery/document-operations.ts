import { buyerSigningModuleOf, getBuyerSigningModule } from "../../schemas/acp/operations.ts"
import { readPostmanCollection } from "../../schemas/agent-id/postman.ts"
import { getClientModule, getClientTypes, getClientVerifier } from "../../schemas/discovery/client-module.ts"
import {
  getAgentCard,
  getAgentMap,
  getAiCatalog,
  getMcpEndpointCard,
  getMcpServerCard,
  getSvcIntents,
} from "../../schemas/discovery/documents.ts"
import { readLlmsText, readRobotsText } from "../../schemas/discovery/entry.ts"
import { getOpenapi } from "../../schemas/discovery/openapi.ts"
import { getSignedForms } from "../../schemas/discovery/signed-forms.ts"
import type { Operation } from "../../schemas/operation.ts"

/** The routes of the documents in `documents.ts`, without their printers: routes are registered before any printer is loaded. */
export const DOCUMENT_OPERATIONS: readonly Operation<undefined>[] = [
  getOpenapi,
  getSvcIntents,
  getAiCatalog,
  getAgentCard,
  getMcpServerCard,
  getMcpEndpointCard,
  getAgentMap,
  readLlmsText,
  readRobotsText,
  readPostmanCollection,
  getBuyerSigningModule,
  getSignedForms,
  getClientModule,
  getClientVerifier,
  getClientTypes,
]

/** The same rows as served: the path of the signing module has the configured slug. */
export function documentOperations(acpChannel: string): readonly Operation<undefined>[] {
  const module = buyerSigningModuleOf(acpChannel)
  return DOCUMENT_OPERATIONS.map((row) => (row.id === module.id ? module : row))
}
