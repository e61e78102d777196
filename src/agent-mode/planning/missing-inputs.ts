/** Which inputs of an operation nothing provides. Pure. */
import type { AgentPlanningIntent, MissingInput } from "../../../schemas/agent-mode/planning.ts"
import type { PlanningInput } from "./planning-catalogue.ts"

/** In the order of the operation's schema. */
export function missingInputs(
  { provided_inputs, input_digests }: Pick<AgentPlanningIntent, "provided_inputs" | "input_digests">,
  inputs: readonly PlanningInput[],
): readonly MissingInput[] {
  const stated = new Set([...provided_inputs, ...Object.keys(input_digests)])
  return inputs
    .filter(({ providers }) => !providers.some((pointer) => stated.has(pointer)))
    .map(({ missing }) => missing)
}

/** Whether the caller, and not its organization, supplies the input. */
export function isOfCaller({ supplied_by }: MissingInput): boolean {
  return supplied_by !== "BUYER_ORGANIZATION"
}
