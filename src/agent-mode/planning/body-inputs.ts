/** The inputs of an operation, worked out from the schema of its body. Pure. */

import type { Operation } from "../../../schemas/operation.ts"
import { pointerStep } from "../../core/json-pointer.ts"

interface Node {
  readonly const?: unknown
  readonly properties?: Readonly<Record<string, Node>>
  readonly required?: readonly string[]
  readonly items?: Node
  readonly additionalProperties?: unknown
  readonly anyOf?: readonly Node[]
  readonly allOf?: readonly Node[]
}

type Constants = Readonly<Record<string, string>>

export interface BodyInputs {
  /** Pointers of the values that every body has and that only its caller knows, in the order of the schema. */
  readonly leaves: readonly string[]
  /** Whether a body can have a value at this pointer. */
  readonly admits: (pointer: string) => boolean
}

/** Path parameters are the inputs of an operation without a body. `chosenBy`: constant members of the body that name its variant. */
export function bodyInputs({ body, path }: Pick<Operation, "body" | "path">, chosenBy: Constants = {}): BodyInputs {
  if (body === undefined) {
    const names = [...path.matchAll(/\{([A-Za-z]+)\}/g)].map(([, name]) => `/${name}`)
    return { leaves: names, admits: (pointer) => pointer === "" || names.includes(pointer) }
  }
  const root = body as Node
  const named = new Set(namedPointers(root, "", chosenBy))
  return {
    leaves: leavesOf(root, "", chosenBy),
    // Pointers into lists and records are not in the set.
    admits: (pointer) => named.has(pointer) || hasMember(root, pointer.split("/").slice(1).map(unescaped), chosenBy),
  }
}

/** The pointers of all values that are members of objects with named members. {@link hasMember} admits each of them. */
function namedPointers(node: Node, at: string, chosenBy: Constants): string[] {
  const { allOf, anyOf, properties } = node
  if (allOf) return allOf.flatMap((part) => namedPointers(part, at, chosenBy))
  if (anyOf) return chosenVariants(anyOf, chosenBy).flatMap((variant) => namedPointers(variant, at, {}))
  const members = Object.entries(properties ?? {})
  return [at, ...members.flatMap(([name, member]) => namedPointers(member, `${at}${pointerStep(name)}`, {}))]
}

/** A record of identifiers is provided by itself or by one of these, which the service knows. */
const KNOWN_IDENTIFIERS = ["lei", "uei", "cage", "cik"]

/** The pointers that provide the value at the leaf: its own, those of the values that contain it, and those of known identifiers. */
export function providersOf(leaf: string): string[] {
  const pointers = [""]
  for (let at = leaf; at !== ""; at = at.slice(0, at.lastIndexOf("/"))) pointers.push(at)
  return leaf.endsWith("/identifiers") ? [...pointers, ...KNOWN_IDENTIFIERS.map((name) => `${leaf}/${name}`)] : pointers
}

function leavesOf(node: Node, at: string, chosenBy: Constants): string[] {
  if ("const" in node) return []
  if (node.allOf) return node.allOf.flatMap((part) => leavesOf(part, at, chosenBy))
  if (node.anyOf) return leavesOfUnion(node.anyOf, at, chosenBy)
  const { properties, required = [] } = node
  if (properties === undefined) return [at]
  return required.flatMap((name) => {
    const member = properties[name]
    return member ? leavesOf(member, `${at}${pointerStep(name)}`, {}) : []
  })
}

/** A union of objects asks for what all its variants have. Any other union is one value. */
function leavesOfUnion(variants: readonly Node[], at: string, chosenBy: Constants): string[] {
  const [first, ...others] = chosenVariants(variants, chosenBy)
  if (!first || ![first, ...others].every(isObject)) return [at]
  const rest = others.map((variant) => leavesOf(variant, at, chosenBy))
  return leavesOf(first, at, chosenBy).filter((leaf) => rest.every((leaves) => leaves.includes(leaf)))
}

function chosenVariants(variants: readonly Node[], chosenBy: Constants): readonly Node[] {
  const chosen = Object.entries(chosenBy)
  return variants.filter(({ properties = {} }) => chosen.every(([name, value]) => properties[name]?.const === value))
}

function isObject({ properties, allOf, anyOf }: Node): boolean {
  return properties !== undefined || (allOf ?? anyOf)?.every(isObject) === true
}

function hasMember(node: Node, [name, ...rest]: readonly string[], chosenBy: Constants): boolean {
  if (name === undefined) return true
  const { allOf, anyOf, properties, items, additionalProperties } = node
  if (allOf) return allOf.some((part) => hasMember(part, [name, ...rest], chosenBy))
  if (anyOf) return chosenVariants(anyOf, chosenBy).some((variant) => hasMember(variant, [name, ...rest], {}))
  if (properties) {
    const member = Object.hasOwn(properties, name) ? properties[name] : undefined
    return member !== undefined && hasMember(member, rest, {})
  }
  if (items) return /^(0|[1-9][0-9]{0,3})$/.test(name) && hasMember(items, rest, {})
  return isNode(additionalProperties) && hasMember(additionalProperties, rest, {})
}

function isNode(value: unknown): value is Node {
  return typeof value === "object" && value !== null
}

function unescaped(part: string): string {
  return part.replaceAll("~1", "/").replaceAll("~0", "~")
}
