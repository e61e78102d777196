import { agentIdBootstrap, type DescriptorParts } from "./descriptor.ts"

interface EnrolmentExample {
  /** Name and promise of Agent ID, as its descriptor has them. */
  readonly name: string
  readonly promise: string
  /** The synthetic payload that a new agent may sign as a trial. */
  readonly payload: object
}

/** What a guide to the enrolment of an agent needs of the bootstrap. */
export function enrolmentExample(parts: DescriptorParts): EnrolmentExample {
  const { name, promise, synthetic_test: synthetic } = agentIdBootstrap(parts)
  return { name, promise, payload: synthetic.payload }
}
