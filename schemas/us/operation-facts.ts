import { type Static, Type } from "@sinclair/typebox"
import { answerFactsMembers } from "../answer-facts.ts"
import { closed } from "../common.ts"
import { ScreeningFact } from "../screening-facts.ts"
import { RegistrationFact } from "./registration-fact.ts"

/** What the facts of each of the six US operations hold: the company against the lists and the registers. */
export const usFactsMembers = {
  ...answerFactsMembers,
  screening: ScreeningFact,
  /** Null when no register that assigns one of the identifiers can be asked. */
  registration: Type.Union([RegistrationFact, Type.Null()]),
}

const AnyUsFacts = closed(usFactsMembers)
export type UsFacts = Static<typeof AnyUsFacts>
