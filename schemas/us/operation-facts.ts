import { type Static, Type } from "@sinclair/typebox"
import { type AnswerFacts, answerFactsMembers } from "../answer-facts.ts"
import { ScreeningFact } from "../screening-facts.ts"
import { RegistrationFact } from "./registration-fact.ts"

/** What the facts of each of the six US operations hold: the company against the lists and the registers. */
export const usFactsMembers = {
  ...answerFactsMembers,
  screening: ScreeningFact,
  /** Null when no register that assigns one of the identifiers can be asked. */
  registration: Type.Union([RegistrationFact, Type.Null()]),
}

export interface UsFacts extends AnswerFacts {
  readonly screening: Static<typeof ScreeningFact>
  readonly registration: Static<typeof RegistrationFact> | null
}
