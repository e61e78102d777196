/** Checks before a quote that all US operations share. Each product lists them in the order in which they reject. */
import type { UsOperationRequest } from "../../../schemas/us/operation-request.ts"
import type { SourceBoard } from "../../sources/boards/source-board.ts"
import type { AnswerCheck } from "../common/answer-product.ts"
import type { BusinessAnswerShape } from "../common/answer-rules.ts"
import type { AnyCheckInput } from "../common/check-input.ts"
import type { PreQuoteCheck } from "../common/pre-quote-check.ts"
import { checkEvaluationTime, checkIdentifiers, checkLegalName, judgeLegalNameFree } from "./company-refusals.ts"
import type { SupplierIdentity } from "./registered-name.ts"
import type { Registers } from "./registration.ts"

type UsCheck = AnswerCheck<BusinessAnswerShape & { readonly request: UsOperationRequest }>

/** The members of a request that {@link import("./company-facts.ts").usSourceStates} reads. */
export const US_SOURCES_NEED = ["freshness_requirements"] as const

export const companyIdentifier: UsCheck = {
  id: "COMPANY_IDENTIFIER",
  needs: ["company"],
  judge: ({ request }) => checkIdentifiers(request.company, "/company"),
}

export const evaluationTime: PreQuoteCheck<Evaluated & Pick<AnyCheckInput, "paid" | "at">, "EVALUATION_TIME"> = {
  id: "EVALUATION_TIME",
  needs: ["freshness_requirements"],
  judge: ({ request, paid, at }) => checkEvaluationTime(request, { paid, at }),
}

interface Evaluated {
  readonly request: Pick<UsOperationRequest, "freshness_requirements">
}

interface CompanyEvidence {
  readonly sources: SourceBoard
  readonly registers: Registers
}

export const legalName = (context: CompanyEvidence) => legalNameOf(context, "company")

/** `member`: the member of the request that names the company. */
export function legalNameOf<M extends string>(
  context: CompanyEvidence,
  member: M,
): PreQuoteCheck<{ readonly request: Readonly<Record<M, SupplierIdentity>>; readonly at: number }, "LEGAL_NAME"> {
  const pointer = `/${member}`
  return {
    id: "LEGAL_NAME",
    needs: [member],
    judge: ({ request, at }) => checkLegalName(context, { identity: request[member], pointer, at }),
    judgeFree: ({ request, at }) => judgeLegalNameFree(context.registers, { identity: request[member], pointer, at }),
  }
}
