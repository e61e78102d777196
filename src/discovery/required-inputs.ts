import type { TSchema } from "@sinclair/typebox"
import { pointerStep } from "../core/json-pointer.ts"

interface Node {
  readonly const?: unknown
  readonly properties?: Readonly<Record<string, Node>>
  readonly required?: readonly string[]
  readonly anyOf?: readonly Node[]
  readonly allOf?: readonly Node[]
}

type Constants = Readonly<Record<string, string>>

/**
 * Returns JSON pointers of the leaf members that every valid body has, in the order of the schema. An array is a leaf. `chosenBy`: constant
 * members of the body; alternatives that exclude them do not count.
 */
export function requiredInputs(body: TSchema | undefined, chosenBy: Constants = {}): string[] {
  return body === undefined ? [] : leaves(body as Node, "", chosenBy).filter((pointer) => pointer !== "")
}

function leaves(node: Node, at: string, chosenBy: Constants): string[] {
  const { allOf, anyOf } = node
  if (allOf) return allOf.flatMap((part) => leaves(part, at, chosenBy))
  if (anyOf) return commonLeaves(anyOf, at, chosenBy)
  const { properties = {}, required = [] } = node
  const inside = required.flatMap((name) => {
    const member = properties[name]
    return member ? leaves(member, `${at}${pointerStep(name)}`, {}) : []
  })
  return inside.length > 0 ? inside : [at]
}

/** The leaves that all alternatives have. If one alternative has no members, the value itself is the leaf. */
function commonLeaves(alternatives: readonly Node[], at: string, chosenBy: Constants): string[] {
  const [first = [], ...others] = alternatives
    .filter((node) => admits(node, chosenBy))
    .map((node) => leaves(node, at, chosenBy))
  const common = first.filter((pointer) => others.every((pointers) => pointers.includes(pointer)))
  return common.length > 0 ? common : [at]
}

function admits({ properties = {} }: Node, chosenBy: Constants): boolean {
  return Object.entries(chosenBy).every(([name, value]) => properties[name]?.const === value)
}
