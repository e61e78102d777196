/**
 * The capsule of a Payment Decision is a member of its body, and is then stored in the body alone. A body is canonical, so the member has the bytes
 * of the capsule.
 */
import { canonicalize } from "../canonical-json.ts"

const MEMBER = "proof_capsule"

export function containsCapsule(body: string, capsuleJson: string): boolean {
  return body.includes(`"${MEMBER}":${capsuleJson}`)
}

/** The capsule of a delivered answer, from wherever its row has it. */
export function capsuleOf({ body, capsuleJson }: { readonly body: string; readonly capsuleJson: string }): string {
  if (capsuleJson !== "") return capsuleJson
  const { [MEMBER]: capsule } = JSON.parse(body)
  return canonicalize(capsule)
}
