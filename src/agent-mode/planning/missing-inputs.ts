/** Which inputs of an operation nothing provides. Pure. */
import type { AgentPlanningIntent, MissingInput } from "../../../schemas/agent-mode/planning.ts"
import type { PlanningInputs } from "./planning-catalogue.ts"

export interface MissingInputs {
  /** One after another they are the canonical texts of the missing inputs, with commas between them. */
  readonly texts: readonly string[]
  /** Whether the caller can supply one of them. */
  readonly hasCallers: boolean
  /** Whether the buyer's organization supplies one of them: a matter of authority. */
  readonly hasOrganizations: boolean
}

export const NONE_MISSING: MissingInputs = { texts: [], hasCallers: false, hasOrganizations: false }

type Stated = Pick<AgentPlanningIntent, "provided_inputs" | "input_digests">

export function missingInputs(stated: Stated, inputs: PlanningInputs): MissingInputs {
  const { missing, starts } = inputs
  const isProvided = providedPlaces(stated, inputs)
  const texts: string[] = []
  let hasCallers = false
  let hasOrganizations = false
  for (let place = 0; place < missing.length; place++) {
    if (isProvided[place] === 1) continue
    const from = place
    for (; place < missing.length && isProvided[place] === 0; place++) {
      if (missing[place]?.supplied_by === "BUYER_ORGANIZATION") hasOrganizations = true
      else hasCallers = true
    }
    // The texts of missing inputs that follow each other are one part of the whole text.
    texts.push(inputs.text.slice(starts[from], starts[place]))
  }
  const last = texts.pop()
  if (last !== undefined) texts.push(last.slice(0, -1))
  return { texts, hasCallers, hasOrganizations }
}

/** The same as a list. */
export function missingList(stated: Stated, inputs: PlanningInputs): readonly MissingInput[] {
  const isProvided = providedPlaces(stated, inputs)
  return inputs.missing.filter((_, place) => isProvided[place] === 0)
}

/** 1 at the place of each provided input, else 0. */
function providedPlaces(
  { provided_inputs, input_digests }: Stated,
  { missing, providedBy }: PlanningInputs,
): Uint8Array {
  const places = new Uint8Array(missing.length)
  const provide = (pointer: string) => {
    for (const place of providedBy.get(pointer) ?? []) places[place] = 1
  }
  for (const pointer of provided_inputs) provide(pointer)
  for (const pointer in input_digests) provide(pointer)
  return places
}
