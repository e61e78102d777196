/** Checks before a quote that all US operations share. Each product lists them in the order in which they reject. */
import type { UsOperationRequest } from "../../../schemas/us/operation-request.ts"
import type { SourceBoard } from "../../sources/boards/source-board.ts"
import type { AnswerCheck } from "../common/answer-product.ts"
import type { BusinessAnswerShape } from "../common/answer-rules.ts"
import { checkEvaluationTime, checkIdentifiers, checkLegalName, judgeLegalNameFree } from "./company-refusals.ts"
import type { Registers } from "./registration.ts"

export type UsCheck = AnswerCheck<BusinessAnswerShape & { readonly request: UsOperationRequest }>

/** The members of a request that {@link import("./company-facts.ts").usSourceStates} reads. */
export const US_SOURCES_NEED = ["freshness_requirements"] as const

export const companyIdentifier: UsCheck = {
  id: "COMPANY_IDENTIFIER",
  needs: ["company"],
  judge: ({ request }) => checkIdentifiers(request.company, "/company"),
}

export const evaluationTime: UsCheck = {
  id: "EVALUATION_TIME",
  needs: ["freshness_requirements"],
  judge: ({ request, paid, at }) => checkEvaluationTime(request, { paid, at }),
}

export function legalName(context: { readonly sources: SourceBoard; readonly registers: Registers }): UsCheck {
  return {
    id: "LEGAL_NAME",
    needs: ["company"],
    judge: ({ request, at }) => checkLegalName(context, { identity: request.company, pointer: "/company", at }),
    judgeFree: ({ request, at }) =>
      judgeLegalNameFree(context.registers, { identity: request.company, pointer: "/company", at }),
  }
}
