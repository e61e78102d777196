import { type Static, Type } from "@sinclair/typebox"
import { closed } from "../common.ts"
import { ScreeningFact } from "../screening-facts.ts"
import { RegistrationFact } from "./registration-fact.ts"

/**
 * What the registers and the lists say of the supplier under every identifier that the owner's own records know, in addition to those that the
 * request names (rulings 89). It can only make an answer stricter. Absent if the request names all of them.
 */
export const WholeSupplier = closed({
  /** Keys of the identifiers that the request does not name, such as `lei:…`. */
  unnamed: Type.Array(Type.String(), { minItems: 1 }),
  registration: Type.Union([RegistrationFact, Type.Null()]),
  screening: ScreeningFact,
})
export type WholeSupplier = Static<typeof WholeSupplier>
