import { type Static, Type } from "@sinclair/typebox"
import { answerFactsMembers } from "../answer-facts.ts"
import { closed } from "../common.ts"
import { ScreeningFact } from "../screening-facts.ts"
import { RecordedSupplier } from "./recorded-supplier.ts"
import { RegistrationFact } from "./registration-fact.ts"

/** The facts that the six US operations share: the company screened against the lists and looked up in the registers. */
export const usFactsMembers = {
  ...answerFactsMembers,
  screening: ScreeningFact,
  /** Null if no usable register assigns one of the identifiers. */
  registration: Type.Union([RegistrationFact, Type.Null()]),
  recorded_supplier: Type.Optional(RecordedSupplier),
}

const AnyUsFacts = closed(usFactsMembers)
export type UsFacts = Static<typeof AnyUsFacts>
