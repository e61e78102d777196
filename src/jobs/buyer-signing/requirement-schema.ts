/**
 * Runs at build time (a Bun macro). Returns the closed schema of a draft as plain data, so that the module applies exactly the rules of the
 * service and contains no schema library.
 */
import { AcpRequirementDraft } from "../../../schemas/acp/requirement.ts"

export function requirementSchema(): typeof AcpRequirementDraft {
  return JSON.parse(JSON.stringify(AcpRequirementDraft)) as typeof AcpRequirementDraft
}
